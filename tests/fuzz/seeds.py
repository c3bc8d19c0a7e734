"""First inputs and words for the fuzz targets, made from what fixtures/ holds: nothing of it is committed twice.

How a target takes an input apart stands in the target; python3 tests/fuzz/seeds.py FOLDER writes them all.
"""
import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
HARNESSES = ["claude-code", "codex", "cursor"]
# Longer inputs are cut, as they are by the run: most executions should be short.
LONGEST = 4 * 1024
# Words of a target's dictionary.
MOST_WORDS = 400


class Seeds:
    """The inputs and words of one target."""

    def __init__(self, folder, target):
        self.inputs = folder / target / "seeds"
        self.inputs.mkdir(parents=True, exist_ok=True)
        self.dictionary = folder / target / "words.dict"
        self.count = 0
        self.words = {}

    def add(self, head, *texts):
        """One input: the bytes that choose, then the texts, parted by NUL."""
        bodies = [text if isinstance(text, bytes) else text.encode() for text in texts]
        (self.inputs / f"{self.count:05}").write_bytes(bytes(head) + b"\0".join(bodies)[:LONGEST])
        self.count += 1

    def know(self, words):
        """Words that are put into inputs; those that come most often are kept."""
        for word in words:
            raw = word if isinstance(word, bytes) else word.encode()
            if 1 < len(raw) <= 48:
                self.words[raw] = self.words.get(raw, 0) + 1

    def write(self):
        """Writes the dictionary in libFuzzer's form."""
        most = sorted(self.words, key=lambda word: (-self.words[word], word))[:MOST_WORDS]
        lines = ['"' + "".join(f"\\x{byte:02x}" for byte in word) + '"' for word in most]
        self.dictionary.write_text("\n".join(lines) + "\n")


def files(folder, *endings):
    """The files below a folder of fixtures, in order."""
    return sorted(path for path in (FIXTURES / folder).rglob("*") if path.is_file() and path.suffix in endings)


def keys(value):
    """The names in a JSON value with their quotes and colons, and its short texts with their quotes."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f'"{name}":'
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)
    elif isinstance(value, str):
        yield json.dumps(value)


def strings(value):
    """The texts in a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value


def loaded(line):
    """A line as JSON; none where it is none."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def payloads(folder):
    seeds = Seeds(folder, "payload")
    for at, harness in enumerate(HARNESSES):
        for path in files(f"payloads/{harness}", ".json"):
            seeds.add([at], path.read_bytes())
            seeds.know(keys(loaded(path.read_text())))
    seeds.write()


def answers(folder):
    seeds = Seeds(folder, "answer")
    for harness in range(3):
        for event in range(27):
            for outcome in range(3):
                seeds.add([harness, event, outcome, 3, event * 4], "Run it, or retire the claim.", "Sent back once.")
    seeds.know(["\n", "\u001b[31m", '"', "\\", "[Proofmark] "])
    seeds.write()


def records():
    """Every record with its harness: the beginning, and further stretches of whole lines."""
    for at, harness in enumerate(HARNESSES):
        for path in files(harness, ".jsonl"):
            stretch = b""
            for line in path.read_bytes().splitlines(keepends=True):
                if len(line) > LONGEST:
                    continue
                if len(stretch) + len(line) > LONGEST:
                    yield at, stretch
                    stretch = b""
                stretch += line
            yield at, stretch


def transcripts(folder):
    seeds, cut = Seeds(folder, "transcript"), Seeds(folder, "record")
    for nth, (at, record) in enumerate(records()):
        seeds.add([at, nth % 2, nth % 17], record)
        cut.add([nth * 7 % 256, nth % 256, nth % 5, nth % 256, nth % 4], record[:600])
        for line in record.splitlines():
            seeds.know(keys(loaded(line)))
    for lines in [b"\n\n\n", b"a\nbb\nccc\n" * 9, b"x" * 300 + b"\n" + b"y" * 20 + b"\n"]:
        for stop in range(4):
            cut.add([7, 3, 2, 11, stop], lines)
    seeds.write()
    cut.write()


def commands():
    """Commands of the tables and of recorded runs."""
    for path in [FIXTURES / "shell/commands.tsv", FIXTURES / "shell/locked.tsv", FIXTURES / "verdicts/commands.tsv"]:
        with path.open(newline="") as table:
            for row in csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row:
                    yield row[0].replace("\\n", "\n")
    for line in runs():
        yield line["command"]


def runs():
    """Recorded runs of runners."""
    for path in files("verdicts", ".jsonl"):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def shells(folder):
    seeds = Seeds(folder, "shell")
    known = sorted(set(commands()))
    for command in known:
        seeds.add([], command)
        seeds.know(command.split())
    seeds.know([" && ", " || ", " | ", "$(", "<<'EOF'\n", "\nEOF\n", "2>&1", "; fi", "; done", "bash -c '", "<(", "$((", "`"])
    seeds.write()


def verdicts(folder):
    seeds = Seeds(folder, "verdict")
    endings = {None: 0, 0: 1, 1: 2, 2: 3, 5: 4, 101: 5, 124: 6, 127: 7}
    for nth, run in enumerate(runs()):
        output = run["output"]
        ending = [endings.get(run["exit_code"], 2), nth % 3]
        seeds.add([nth % 256, *ending], run["command"], output[-2_000:])
        seeds.add([nth % 256, *ending], "", output[-600:])
        for line in output.splitlines()[-3:]:
            seeds.know([line.strip()[:40], *line.split()])
    seeds.write()


def texts(folder):
    seeds = Seeds(folder, "text")
    found = set()
    for path in files("tags", ".json") + files("text", ".json") + files("cases", ".json"):
        found.update(strings(json.loads(path.read_text())))
    for path in files("text", ".tsv"):
        for line in path.read_text().splitlines():
            found.update(part.replace("\\n", "\n") for part in line.split("\t"))
    known = sorted(text for text in found if len(text) > 3)
    for at, text in enumerate(known):
        seeds.add([], text, known[(at * 31 + 1) % len(known)][:200])
        seeds.know(text.split())
    seeds.know(["{{CAT-UNVERIFIED: ", " -- cannot verify: ", "}}", "```\n", "> ", "\n\n", "SCOPE CONTRACT: ", "`", "~~~"])
    seeds.write()


def frames(folder):
    seeds = Seeds(folder, "frames")
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "id": "a", "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
        {"jsonrpc": "2.0", "id": None, "result": None},
        {"jsonrpc": "2.0", "id": 1.5, "method": "textDocument/codeAction", "params": [1]},
        [{"jsonrpc": "2.0", "id": 2, "method": "shutdown", "params": None}, 7, {}],
    ]
    for path in files("editors", ".json")[:3]:
        messages.append(loaded(path.read_text()[: LONGEST // 2]))
    for at, message in enumerate(messages):
        body = json.dumps(message).encode()
        frame = b"Content-Length: %d\r\n\r\n" % len(body) + body
        for stream in [frame, frame * 3, b"rubbish\r\n\r\n" + frame, frame[:-3] + frame, body]:
            seeds.add([at * 5], stream)
    seeds.know(["Content-Length: ", "\r\n\r\n", '"jsonrpc":"2.0"', '"id":', '"method":', '"params":', '"result":', "null"])
    seeds.write()


def lines(folder):
    seeds = Seeds(folder, "lines")
    for line in [
        '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}',
        '{"id":12345678901234567890123,"method":"echo","params":[1]}',
        '{"id":"\\"id\\":null","method":"echo"}',
        '{"id":null,"method":"none","proofmark":{"protocol":1,"build":"0.0.1"}}',
        '{"id":-0.5e3,"method":"echo","proofmark":{"protocol":9,"build":"9.9.9"}}',
        '{"method":"echo"}', '{"id":true,"method":"echo"}', "[1]", '["echo"]', '{"id":4}', "{", "7", '"a"', "null",
    ]:
        seeds.add([], line)
    seeds.know(['"id":', '"method":"echo"', '"params":', '"proofmark":', '"jsonrpc":"2.0"', "null", '"id":null'])
    seeds.write()


def settings(folder):
    seeds = Seeds(folder, "settings")
    documented = (ROOT / "docs/settings.md").read_text()
    names = sorted({word for word in documented.split("`") if word and " " not in word and "\n" not in word})
    found = [path.read_text() for path in sorted((ROOT / "server/src/judge/lists").glob("*.toml"))]
    for check in ["untried-claim", "stale-verdict", "claimed-pass", "scope-lock", "scope-drift", "plain-words",
                  "unproven-claim", "malformed-tag", "reply-length"]:
        for mode in ["off", "advise", "refuse"]:
            found.append(f'[checks.{check}]\nmode = "{mode}"\nstrict = true\nwindow = 3\n')
    found.append('[judge]\nenabled = true\nwait_seconds = 30\n[[judge.runner]]\nname = "a"\ncommand = ["b", "c"]\n')
    found.append('[server]\nidle_minutes = 5\n[tools]\n"mcp__*" = "observes"\nBash = "neither"\n')
    found.append('\ufeff[checks.scope-lock.phrases.de]\ncorrections = ["nein"]\n')
    found.append('[judge]\nlists = ["words/ours.toml", "./more.json"]\nskip = ["status-words"]\nprefilter = true\n')
    found.append('[checks.reply-length]\nlimit = 90\n[ledger]\nkeep_days = 7\n')
    found.append('[checks.untried-claim]\nreminder = "stale"\nteach = false\n[checks.scope-lock]\nhard_stop_reading = true\n')
    word_list = {"name": "ours", "meaning": "names of ours", "match": ["zelt 9"], "not_match": ["the tent"]}
    found.append(json.dumps(word_list))
    found.append(json.dumps({"list": [word_list, {**word_list, "name": "ours-too"}]}))
    for at, text in enumerate(found):
        seeds.add([], text, found[(at * 7 + 3) % len(found)])
    seeds.know(names + ["[checks.", "]\n", " = true\n", ' = "refuse"\n', ' = "off"\n', "[[judge.runner]]\n", "\ufeff",
                "[[list]]\n", 'name = "', 'meaning = "', 'match = ["', 'not_match = ["', '"list": ['])
    seeds.write()


def installer(folder):
    seeds, trust = Seeds(folder, "installer"), Seeds(folder, "trust")
    for at, harness in enumerate(HARNESSES):
        for nth, path in enumerate(files(f"settings/{harness}", ".json", ".toml")):
            is_toml = path.suffix == ".toml"
            text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
            for version in range(nth % 2, 7, 2):
                seeds.add([at, int(is_toml), version, nth % 2], text)
            if is_toml:
                trust.add([], text)
            else:
                seeds.know(keys(loaded(text)))
    for text in [
        "", "model = 'x'\n", "[hooks]\n", "[hooks.state]\na = 1\n", "hooks = {}\n", "hooks.state = {}\n",
        '[hooks.state."/home/dev/.codex/hooks.json:stop:0:0"]\nenabled = false\n',
        '[hooks.state."/home/dev/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:0"\n# c\n[a]\n',
        "# A=1 '/o b/proofmark-hook' codex && x\n/o/proofmark hook codex\n",
    ]:
        trust.add([], text)
    words = ["proofmark-hook claude-code", "proofmark-hook codex", "// c\n", "/* c */", "# c\n", "[[hooks.Stop]]\n",
             "[[hooks.Stop.hooks]]\n", "[hooks]\n", "[hooks.state]\n", "trusted_hash = ", "\r\n", '"hooks": ']
    for each in [seeds, trust]:
        each.know(words)
        each.write()


def judges(folder):
    seeds = Seeds(folder, "judge")
    answer = {"canary": "veltrok nimyor", "match": True, "category": "status-words", "closest": "a b"}
    for match in [True, False, "true", None]:
        line = json.dumps({**answer, "match": match})
        for text in [line, f"thinking\n{line}\n", f"```json\n{line}\n```", json.dumps(answer, indent=2), f"x {line} y {{"]:
            seeds.add([], text)
    seeds.know(keys(answer))
    seeds.know(["{", "}\n", '"match": true', '"match": false', "```\n"])
    seeds.write()


def main():
    folder = pathlib.Path(sys.argv[1])
    for make in [payloads, answers, transcripts, shells, verdicts, texts, frames, lines, settings, installer, judges]:
        make(folder)


if __name__ == "__main__":
    main()
