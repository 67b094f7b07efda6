"""Where a key of a YAML file stands, at any depth: for messages about what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from rag_eval_pipeline.reading.sanitise import sanitise_text
from rag_eval_pipeline.reading.text_file import decode

# Line ends to YAML and to nobody else; in their place stands a character, so that lines count.
_NOT_LINE_ENDS = str.maketrans(dict.fromkeys("\x85\u2028\u2029", "_"))


class KeyLines:
    """The lines of the keys of a YAML file, found by their paths.

    `data` is a file that `yaml_text.read_yaml_mapping` takes. A path names keys of mappings and
    places in lists, from 0.
    """

    def __init__(self, data: bytes, file: str) -> None:
        text, _ = decode(data, file)
        clean = sanitise_text(text).translate(_NOT_LINE_ENDS)
        try:
            self._root = yaml.compose(clean, Loader=yaml.SafeLoader)
        except yaml.YAMLError:
            self._root = None
        self._keys: dict[int, dict[object, tuple[yaml.Node, yaml.Node]]] = {}

    def __call__(self, path: Sequence[str | int]) -> int | None:
        """Line of what stands at the end of `path`, else of the deepest part that is there.

        None if not even the first key of the path is there.
        """
        line, node = None, self._root
        for name in path:
            if isinstance(node, yaml.MappingNode):
                found = self._of(node).get(name)
                if found is None:
                    break
                line, node = found[0].start_mark.line + 1, found[1]
            elif isinstance(node, yaml.SequenceNode):
                if not isinstance(name, int) or not 0 <= name < len(node.value):
                    break
                node = node.value[name]
                line = node.start_mark.line + 1
            else:
                break
        return line

    def _of(self, node: yaml.MappingNode) -> dict[object, tuple[yaml.Node, yaml.Node]]:
        """The keys of a mapping, looked up once however many are asked for."""
        if id(node) not in self._keys:
            self._keys[id(node)] = {
                key.value: (key, value)
                for key, value in node.value
                if isinstance(key, yaml.ScalarNode)
            }
        return self._keys[id(node)]


def line_of_key(data: bytes, file: str, path: Sequence[str | int]) -> int | None:
    """Line of the key at the end of `path` in one file; see `KeyLines`."""
    return KeyLines(data, file)(path)
