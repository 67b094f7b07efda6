"""Physical and data quantities; the unit is written as the SI writes it."""

from __future__ import annotations

_SI = (
    "kg g mg t cm mm km m nm L mL dL kL W kW MW V mV kV A mA Wh kWh MWh mAh Ah Hz kHz MHz GHz "
    "KB MB GB TB PB kB KiB MiB GiB TiB Mbps Gbps kbps bps MB/s GB/s km/h m/s px dpi fps rpm "
    "Pa kPa hPa MPa dB lm lx cd J kJ MJ kcal ppm ha oz lb ft mi yd psi cc VA kVA Nm ms GiB/s"
)
# Case decides (MB is not Mb, m is not M), so these are matched on the text as written.
SYMBOLS: dict[str, str] = {
    **{unit: unit for unit in _SI.split()},
    "Kg": "kg", "KG": "kg", "㎏": "kg", "㎎": "mg", "㎝": "cm", "㎜": "mm", "㎞": "km",
    "㎡": "m²", "㎥": "m³",
    "m²": "m²", "m2": "m²", "m³": "m³", "cm²": "cm²", "cm³": "cm³", "km²": "km²", "sqm": "m²",
    "sq m": "m²",
    "l": "L", "ml": "mL", "ML": "mL", "dl": "dL", "ℓ": "L", "㍑": "L", "㎖": "mL", "CM": "cm",
    "MM": "mm", "KM": "km",
    "lbs": "lb", "gb": "GB", "mb": "MB", "kb": "KB", "tb": "TB", "Gb": "GB", "Mb": "MB",
    "Kb": "KB", "Tb": "TB",
    "℃": "℃", "°C": "℃", "°c": "℃", "° C": "℃", "℉": "℉", "°F": "℉", "°": "度", "kw": "kW",
    "kwh": "kWh", "KWh": "kWh",
    "mbps": "Mbps", "gbps": "Gbps", "Kcal": "kcal", "PX": "px", "DPI": "dpi", "w": "W", "v": "V",
    "KW": "kW",
    "inch": "inch", "inches": "inch", "in.": "inch", "㌢": "cm", "㍍": "m", "㌔": "kg", "㌘": "g",
    "㍉": "mm",
}  # fmt: skip
WORDS: dict[str, str] = {
    "キログラム": "kg", "キロ": "kg", "グラム": "g", "ミリグラム": "mg", "トン": "t",
    "キロメートル": "km",
    "メートル": "m", "センチメートル": "cm", "センチ": "cm", "ミリメートル": "mm", "ミリ": "mm",
    "リットル": "L",
    "リッター": "L", "ミリリットル": "mL", "デシリットル": "dL", "キロリットル": "kL",
    "シーシー": "cc",
    "平方メートル": "m²", "平米": "m²", "立方メートル": "m³", "立米": "m³",
    "平方キロメートル": "km²", "平方センチメートル": "cm²",
    "ヘクタール": "ha", "坪": "坪", "畳": "畳", "帖": "畳", "エーカー": "acre",
    "メガバイト": "MB", "ギガバイト": "GB", "テラバイト": "TB",
    "キロバイト": "KB", "メガ": "MB", "ギガ": "GB", "テラ": "TB", "バイト": "byte",
    "ビット": "bit", "ワット": "W", "キロワット": "kW",
    "キロワット時": "kWh", "ボルト": "V", "アンペア": "A", "ヘルツ": "Hz", "ピクセル": "px",
    "ドット": "dot", "インチ": "inch",
    "フィート": "ft", "ヤード": "yd", "オンス": "oz", "カロリー": "kcal", "キロカロリー": "kcal",
    "デシベル": "dB",
    "ルーメン": "lm", "ルクス": "lx", "摂氏": "℃", "ミリ秒": "ms", "マイクロメートル": "μm",
    "ヘクトパスカル": "hPa", "パスカル": "Pa",
    "ギガヘルツ": "GHz", "メガヘルツ": "MHz", "ミリアンペア": "mA", "カラット": "ct",
    "気圧": "atm", "馬力": "PS", "合": "合", "升": "升",
}  # fmt: skip
NOT_BEFORE: dict[str, str] = {
    "合": "計格意否同わ",
    "バイト": "",
    "畳": "み",
    "ミリ": "オ",
    "メガ": "ネ",
}
ENGLISH_WORDS: dict[str, str] = {
    "kilograms": "kg", "kilogram": "kg", "kilos": "kg", "kilo": "kg", "grams": "g", "gram": "g",
    "milligrams": "mg", "tons": "t", "tonnes": "t", "ton": "t", "tonne": "t", "kilometers": "km",
    "kilometres": "km",
    "kilometer": "km", "kilometre": "km", "meters": "m", "metres": "m", "meter": "m", "metre": "m",
    "centimeters": "cm", "centimetres": "cm", "centimeter": "cm", "centimetre": "cm",
    "millimeters": "mm",
    "millimetres": "mm", "millimeter": "mm", "liters": "L", "litres": "L", "liter": "L",
    "litre": "L",
    "milliliters": "mL", "millilitres": "mL", "square meters": "m²", "square metres": "m²",
    "square feet": "ft²",
    "cubic meters": "m³", "feet": "ft", "foot": "ft", "miles": "mi", "mile": "mi", "yards": "yd",
    "ounces": "oz",
    "ounce": "oz", "lbs": "lb", "megabytes": "MB", "megabyte": "MB", "gigabytes": "GB",
    "gigabyte": "GB", "terabytes": "TB",
    "terabyte": "TB", "kilobytes": "KB", "kilobyte": "KB", "bytes": "byte", "byte": "byte",
    "bits": "bit", "watts": "W",
    "watt": "W", "kilowatts": "kW", "kilowatt": "kW", "kilowatt-hours": "kWh",
    "kilowatt hours": "kWh", "volts": "V", "volt": "V", "amps": "A", "amperes": "A",
    "hertz": "Hz", "pixels": "px", "pixel": "px", "calories": "kcal", "decibels": "dB",
    "degrees celsius": "℃",
    "degrees c": "℃", "degrees fahrenheit": "℉", "degrees": "度", "milliseconds": "ms",
    "hectares": "ha", "acres": "acre", "acre": "acre",
    "gallons": "gal", "gallon": "gal", "pints": "pt", "inches": "inch", "inch": "inch",
}  # fmt: skip
KILO = frozenset({"キロ", "㌔", "kilo", "kilos"})
