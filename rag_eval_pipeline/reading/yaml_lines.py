"""Where a key of a YAML file stands, at any depth: for messages about what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from rag_eval_pipeline.reading.sanitise import sanitise_text
from rag_eval_pipeline.reading.text_file import decode

# Line ends to YAML and to nobody else; in their place stands a character, so that lines count.
_NOT_LINE_ENDS = str.maketrans(dict.fromkeys("\x85\u2028\u2029", "_"))


def line_of_key(data: bytes, file: str, path: Sequence[str]) -> int | None:
    """Line of the key at the end of `path`, else of the deepest one of it that is there.

    `data` is a file that `yaml_text.read_yaml_mapping` takes. None if not even the first key of
    the path is there.
    """
    text, _ = decode(data, file)
    try:
        node = yaml.compose(sanitise_text(text).translate(_NOT_LINE_ENDS), Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    line = None
    for name in path:
        if not isinstance(node, yaml.MappingNode):
            break
        found = next((pair for pair in node.value if pair[0].value == name), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line
