# SPDX-License-Identifier: MIT
"""The scripts of tests/interop/chat, and the modems that they talk to."""

import pathlib
import re

MAN_PAGE = pathlib.Path(__file__).parents[2] / "src/man/serialbundle-chat.5"

HAYES = [(b"ATZ\r", b"ATZ\r\r\nOK\r\n"), (b"ATDT5551234\r", b"ATDT5551234\r\r\nCONNECT 28800\r\n")]
LOGIN = [*HAYES, (b"\r", b"\r\nWelcome\r\nlogin: "), (b"me\r", b"me\r\nPassword: "),
         (b"hush\r", b"\r\nPPP session begins\r\n")]  # fmt: skip
LOGIN_SCRIPT = """\
# a login, as they have been for thirty years
ABORT BUSY
ABORT 'NO CARRIER'
ABORT "NO DIALTONE"
REPORT CONNECT
TIMEOUT 5
''      ATZ
OK      ATDT5551234
CONNECT ''
ogin:--ogin: me
ssword: hush
"""
BEGINS = "what is wrong with a script is said before anything is sent"


def plain(case):
    """Expecting and sending, in words and in files."""
    return [
        case("hello", ["", "AT", "OK", "\\c"], [(b"AT\r", b"\r\nOK\r\n")]),
        case("no script at all"),
        case("empty file", script=""),
        case("only comments", script="# nothing\n#\n# more\n"),
        case("login", script=LOGIN_SCRIPT, answers=LOGIN),
        case("login, transcript", ["-v", "-s"], script=LOGIN_SCRIPT.replace("hush", "\\qhush"),
             answers=LOGIN),
        case("ends with an expect", ["", "AT", "OK"], [(b"AT\r", b"\r\nOK\r\nmore")]),
        case("ends with a keyword", ["", "AT", "OK", "\\c", "ABORT"], [(b"AT\r", b"OK")]),
        case("words after a quote", script="'a''b'\"c\" 'd\\'e'f\n", greeting=b"abc",
             answers=[(b"b\r", b"c"), (b"d'e\r", b"f")]),
        case("quote inside a word", script="'' it's\n'' \"so it is\"\n"),
        case("hash", script="'' one # two\n#three\n '' #four\n'#' five\n", greeting=b"two # #"),
        case("tabs and no newline at the end", script="\t''\tAT\n\tOK\t\tATZ",
             answers=[(b"AT\r", b"OK")]),
        case("keyword in quotes", ["-v", "-s"], script="'ABORT' BUSY \"TIMEOUT\" '7' '' AT"),
        case("what follows CONNECT is left", ["", "ATD", "CONNECT", "\\c"],
             [(b"ATD\r", b"CONNECT 9600\r\n~\x7f}#@!}!}!} }4}\"}&} } } } }%}&~")]),
        case("rest of the last send's echo is left", ["", "AT", "OK", "ATE0"],
             [(b"AT\r", b"AT\r\r\nOK\r\n"), (b"ATE0\r", b"ATE0\r\r\nOK\r\n")]),
        case("echo is waited for", ["", "AT", "AT\\r", "ATZ", "ATZ", "\\c"],
             [(b"AT\r", b"AT\r\r\nOK\r\n"), (b"ATZ\r", b"ATZ\r\r\nOK\r\n")]),
        case("line ends of DOS", script="TIMEOUT 1\r\n'' AT\r\nOK ATZ\r\n",
             answers=[(b"AT\r", b"OK"), (b"ATZ\r", b"OK")],
             ours={"sent": b"AT\rATZ\r"},
             why="CR LF ends a line; chat sends the CR, and takes it for a part of keywords"),
        case("quote that is not closed", script="'' AT\nOK 'ATZ\n", greeting=b"OK",
             ours={"sent": b"", "left": b"OK", "stderr": "line 2: a quote is not closed on its"
                   " line\n"}, why=BEGINS),
        case("very long line", script="TIMEOUT 1 '' " + "x" * 600 + " '' " + "y" * 600 + "\n",
             ours={"sent": b"x" * 600 + b"\r" + b"y" * 600 + b"\r", "status": 0},
             why="chat breaks lines, and a word with them, at 1023 characters"),
    ]  # fmt: skip


def matching(case):
    """When a string has come."""
    return [
        case("B067 a beginning within a beginning", ["OK", "1", "CONNECT", "2", "aab", "3"],
             greeting=b"OOKCONCONNECTaaab!"),
        case("B067 in pieces", ["", "a", "NO CARRIER", "b"],
             [(b"a", b"NO C"), (b"\r", b"ARRIER")]),
        case("not across two expects", ["TIMEOUT", "1", "NO", "\\c", "NO CARRIER", "b"],
             greeting=b"NO CARRIER"),
        case("eight bits are seven", ["OK", "x"], greeting=b"\xcf\xcb\r\n"),
        case("control characters", ["^Aa^@b\\r\\n", "x"], greeting=b"\x01ab\r\n"),
        case("a long string", ["x" * 1000 + "y", "got"], greeting=b"x" * 1010 + b"y"),
        case("far away", ["OK", "got"], greeting=b"ten chars." * 300 + b"OK"),
        case("a string too long", ["", "AT", "x" * 1025, "got"],
             ours={"sent": b"", "stderr": "line 0: what is waited for is too long\n"}, why=BEGINS),
        case("time-out", ["-t", "1", "", "AT", "OK", "ATZ"], [(b"AT\r", b"KO\r\n")]),
        case("time-out, transcript", ["-v", "-s", "TIMEOUT", "1", "", "AT", "OK", "ATZ"],
             [(b"AT\r", b"KO\r\n")]),
        case("time-out of the next expect", ["TIMEOUT", "1", "a", "1", "b", "2"], [(b"1", b"")],
             greeting=b"a"),
        case("odd time-outs", ["-v", "-s", "TIMEOUT", "0", "TIMEOUT", "-3", "TIMEOUT", "7s"]),
        case("a time-out that is no number", ["-v", "-s", "TIMEOUT", "ABORT", "BUSY", "x"],
             greeting=b"BUSY",
             ours={"sent": b"", "status": 1, "left": b"BUSY",
                   "stderr": "line 0: TIMEOUT wants a number of seconds\n"},
             why="pairs out of step; " + BEGINS),
        case("what came before a time-out", ["-v", "-s", "TIMEOUT", "1", "OK", "x"],
             greeting=b"half a line",
             ours={"stderr": "timeout set to 1 seconds\nexpect (OK)\nhalf a line\nalarm\nFailed\n"},
             why="the transcript has it; with chat it is lost"),
    ]  # fmt: skip


def chains(case):
    """ogin:-BREAK-ogin:"""
    login = [(b"\r", b"ogin:")]
    return [
        case("chain, first try", ["ogin:--ogin:", "me"], greeting=b"login:"),
        case("chain, second try", ["TIMEOUT", "1", "ogin:--ogin:", "me"], login),
        case("chain, transcript", ["-v", "-s", "TIMEOUT", "1", "ogin:-AT-ogin:", "me"], login),
        case("chain, no more tries", ["TIMEOUT", "1", "a-b-c-d-e", "f"], [(b"d\r", b"x")]),
        case("chain that ends with a reply", ["TIMEOUT", "1", "a-b", "c"]),
        case("chain that ends with a dash", ["TIMEOUT", "1", "a-", "c"]),
        case("chain that ends with two", ["TIMEOUT", "1", "a--", "c"]),
        case("chain of nothing", ["-v", "-s", "--", "-AT-OK", "c"]),
        case("dashes that are none", ["a\\-b", "x-y", "c\\\\-d-e", "z"], greeting=b"a-bc\\"),
        case("reply of a keyword", ["TIMEOUT", "1", "a-SAY-b", "c"], [(b"SAY\r", b"b")]),
        case("reply is a break", ["TIMEOUT", "1", "a-BREAK-b-EOT-c", "d"], [(b"\x04", b"c")]),
        case("abort in a chain", ["ABORT", "BUSY", "TIMEOUT", "1", "a-b-c-d-e", "f"],
             [(b"b\r", b"BUSY\r\n")]),
    ]  # fmt: skip


def watching(case):
    """ABORT and REPORT."""
    busy = ["ABORT", "BUSY", "ABORT", "NO CARRIER", "", "ATD", "CONNECT", "\\c"]
    return [
        case("first ABORT", busy, [(b"ATD\r", b"\r\nBUSY\r\n")]),
        case("second ABORT", busy, [(b"ATD\r", b"\r\nNO CARRIER\r\n")]),
        case("ABORT, transcript", ["-v", "-s", *busy], [(b"ATD\r", b"ATD\r\r\nBUSY\r\n")]),
        case("ABORT without -v", ["-s", *busy], [(b"ATD\r", b"ATD\r\r\nBUSY\r\n")]),
        case("B068 ABORT in the echo", ["ABORT", "ERROR", "", "ATDTERROR1", "CONNECT", ""],
             [(b"ATDTERROR1\r", b"ATDTERROR1\r\r\nCONNECT\r\n")]),
        case("B068 left over by another call", ["ABORT", "NO CARRIER", "", "AT", "OK", "\\c"],
             [(b"AT\r", b"\r\nOK\r\n")], greeting=b"\r\nNO CARRIER\r\n"),
        case("expected goes before ABORT", ["ABORT", "BUSY", "BUSY", "x"], greeting=b"BUSY"),
        case("ABORT within what is expected", ["ABORT", "NNE", "CONNECT", "x"],
             greeting=b"CONNECT"),
        case("ABORT of nothing", ["ABORT", "", "z", "x"], greeting=b"abc"),
        case("ABORT of 49", ["ABORT", "x" * 49, "z", "x"], greeting=b"x" * 49),
        case("ABORT of 50", ["", "AT", "ABORT", "x" * 50, "", "AT"],
             ours={"sent": b"", "stderr": "line 0: a string to ABORT on or to REPORT has 49"
                   " characters at most\n"}, why=BEGINS),
        case("50 ABORTs", [w for i in range(50) for w in ("ABORT", f"no{i:02}")] + ["z", "x"],
             greeting=b"no49"),
        case("51 ABORTs", [w for i in range(51) for w in ("ABORT", f"no{i:02}")]
             + ["", "x"]),
        case("CLR_ABORT", ["-v", "-s", "ABORT", "A", "ABORT", "B", "ABORT", "C", "CLR_ABORT", "B",
                           "CLR_ABORT", "never", "B", "x", "z", "y"], greeting=b"BBC"),
        case("CLR_ABORT of two", ["ABORT", "A", "ABORT", "A", "ABORT", "C", "CLR_ABORT", "A",
                                  "z", "x"], greeting=b"AAC"),
        case("REPORT", ["REPORT", "CONNECT", "CONNECT", "\\c"], greeting=b"CONNECT 2400/ARQ\r\nx"),
        case("REPORT to a file", ["-r", "report", "REPORT", "CONNECT", "CONNECT", "x"],
             greeting=b"\r\nCONNECT 28800/V34\r\nx"),
        case("REPORT to a file, transcript", ["-v", "-s", "-r", "report", "REPORT", "CONNECT",
                                              "CONNECT", "\\c"], greeting=b"CONNECT 300\r\nx"),
        case("REPORT of a line that does not end", ["REPORT", "CONNECT", "CONNECT", "\\c"],
             greeting=b"CONNECT 240"),
        case("REPORT goes on in later expects", ["REPORT", "CON", "NECT", "1", "800", "2"],
             greeting=b"CONNECT 28800\r\nend"),
        case("two REPORTs, each once", ["REPORT", "A", "REPORT", "B", "end", "x"],
             greeting=b"A1 B\r\nB2\r\nA3\r\nB4\r\nend"),
        case("REPORT of what ABORTs", ["REPORT", "BUSY", "ABORT", "BUSY", "z", "x"],
             greeting=b"BUSY SIGNAL\r\nmore"),
        case("REPORT before a time-out", ["TIMEOUT", "1", "REPORT", "CARR", "OK", "x"],
             greeting=b"CARRIER 2400\r\n"),
        case("CLR_REPORT", ["-v", "-s", "REPORT", "A", "REPORT", "B", "CLR_REPORT", "A",
                            "end", "x"], greeting=b"A1\r\nB2\r\nend"),
        case("CLR_REPORT of what was reported", ["REPORT", "A", "A", "1", "\\n", "2", "CLR_REPORT",
                                                 "A", "b", "3"], greeting=b"A\r\nb",
             ours={"sent": b"1\r2\r3\r", "status": 0, "left": b""}, why="chat crashes"),
        case("B056 a secret in a REPORT", ["REPORT", "logon", "word:", "hush", "end", "\\c"],
             [(b"hush\r", b"logon hush\r\nend")], greeting=b"Password:",
             ours={"stderr": "chat:  TIME logon ??????\n"}, why="no secret is shown"),
    ]  # fmt: skip


def telling(case):
    """SAY, ECHO, and the transcript."""
    return [
        case("SAY", ["SAY", "Dialling...\\n\\c", "SAY", "and so on", "", "AT"]),
        case("SAY of escapes", ["SAY", "a\\tb\\sc^Gd\\101\\q\\c"]),
        case("SAY of a backslash", ["SAY", "a\\\\b\\dc\\c"], ours={"stderr": "a\\bc"},
             why="chat says two backslashes, and the letters of a pause"),
        case("SAY of much", ["SAY", "0123456789" * 90 + "\\c"]),
        case("ECHO", ["ECHO", "ON", "a", "1", "ECHO", "OFF", "b", "2", "ECHO", "ON", "c", "3"],
             greeting=b"one\ta two\x01b three\r\nc"),
        case("-e", ["-e", "end", "x"], greeting=b"first\r\nsecond\x7f\r\n\r\nend"),
        case("-e with a transcript", ["-e", "-v", "-s", "TIMEOUT", "1", "no-AT-end", "x"],
             [(b"AT\r", b"end")], greeting=b"first\r\nsecond\r\n"),
        case("-V", ["-V", "end", "x"], greeting=b"first\r\nsecond\x01\r\nend"),
        case("long lines", ["-v", "-s", "end", "x"], greeting=b"0123456789" * 25 + b"\r\nend"),
        case("blank lines", ["-v", "-s", "end", "x"], greeting=b"\r\n\n\r\n\nend"),
        case("\\q", ["-v", "-s", "", "\\qhush", "", "hu\\qsh\\c"]),
        case("B056 a secret without \\q", ["-v", "-s", "ssword:", "hush", "end", "\\c"],
             [(b"hush\r", b"hush\r\nend")], greeting=b"Password:",
             ours={"stderr": "expect (ssword:)\nPassword:\n -- got it\n\nsend (??????)\n"
                   "expect (end)\n??????^M\nend\n -- got it\n\nsend ()\n"},
             why="what is sent to a prompt for a password is not shown"),
        case("HANGUP", ["HANGUP", "OFF", "", "AT", "HANGUP", "ON", "", "ATZ"]),
    ]  # fmt: skip


def sending(case):
    """Escapes, numbers, variables and files."""
    return [
        case("escapes", ["", "\\b\\n\\r\\s\\t\\\\\\N\\0\\101\\7\\0012\\c"]),
        case("octal at its limits", ["", "\\377\\400\\777\\18\\134\\c"]),
        case("unknown escapes", ["", "\\a\\x\\-\\\"\\'\\9\\@\\^A\\$\\c"]),
        case("\\c in the middle", ["", "a\\cb", "", "\\c\\c", "", "c\\c "]),
        case("a backslash at the end", ["", "a\\", "", "b\\\\"]),
        case("carets", ["", "^A^[^\\^a^?^@^ b^", "", "\\^c"]),
        case("escapes in what is expected", ["a\\sb\\tc\\\\\\101\\d\\K\\p\\N\\0\\c", "x"],
             greeting=b"a b\tc\\AdKpNc"),
        case("\\q and \\T in what is expected", ["-T", "1", "\\qa\\T", "x"], greeting=b"a\\T"),
        case("pauses", ["", "a\\pb\\p\\pc", "", "\\dd\\c"]),
        case("EOT and BREAK", ["", "EOT", "", "BREAK", "", "a\\Kb\\c", "", "EOTx"]),
        case("numbers", ["-T", "5551234", "-U", "99", "", "ATD\\T,\\U"]),
        case("numbers that are not given", ["", "ATD\\T,\\U"]),
        case("a number with escapes", ["-T", "0\\d1\\p2^A\\r", "", "ATD\\T\\c"]),
        case("-E", ["-E", "", "a$NAME.b$NONE-c\\$NAME^$NAME$"],
             environment={"NAME": "v\\pal^Aue"}),
        case("no -E", ["", "a$NAME\\$"], environment={"NAME": "value"}),
        case("-E in what is expected", ["-E", "$NAME", "x", "TIMEOUT", "$T", "ABORT", "$NAME",
                                        "z", "y"],
             greeting=b"value value", environment={"NAME": "value", "T": "1"}),
        case("@file", ["", "@secret"], files={"secret": b"hush\\c\n"}),
        case("@file of more lines", ["", "@  secret"], files={"secret": b"one\ntwo\n\n"}),
        case("@file without a newline", ["", "@secret"], files={"secret": b"EOT"}),
        case("@file in a chain", ["TIMEOUT", "1", "a-@secret-b", "c"], [(b"hush\r", b"b")],
             files={"secret": b"hush"}),
        case("@file that is not there", ["", "AT", "", "@secret"]),
        case("@ alone", ["", "@", "", "@ "]),
        case("B056 @file in the transcript", ["-v", "-s", "", "@secret"],
             files={"secret": b"hush\n"}, ours={"stderr": "send (??????)\n"},
             why="a file is where secrets are kept"),
        case("@file and -E", ["-E", "", "@secret"], files={"secret": b"a$NAME"},
             environment={"NAME": "value"}, ours={"sent": b"a$NAME\r"},
             why="a password may have a $ in it"),
        case("a send longer than the time-out", ["TIMEOUT", "1", "", "a\\d\\db"],
             ours={"sent": b"a b\r".replace(b" ", b""), "status": 0},
             why="a pause that the script asks for is no failure"),
    ]  # fmt: skip


def man_page_examples():
    """The scripts under EXAMPLES, by their first lines."""
    source = MAN_PAGE.read_text().split(".Sh EXAMPLES")[1]
    for block in re.findall(r"\.Bd -literal -offset indent\n(.*?)\n\.Ed", source, re.S):
        yield block.replace("\\(aq", "'").replace("\\(dq", '"').replace("\\e", "\\") + "\n"


def examples(case):
    """What the manual page shows, word for word but for the names of files."""
    any_modem, login, slip, radio, windows = man_page_examples()
    ok = b"\r\nOK\r\n"
    connect = b"\r\nCONNECT 28800\r\n"
    prompts = [(b"\r", b"\r\nlogin: "), (b"me\r", b"\r\nPassword: "), (b"hush\r", b"\r\nannex: "),
               (b"slip\r", b"Your address is 10.0.0.2\r\n")]  # fmt: skip
    number = ["-T", "5551234"]
    return [
        case("example: any modem", number, [(b"AT\r", ok), (b"ATZ\r", ok), (b"5551234\r", connect)],
             script=any_modem),
        case("example: login", number, [(b"ATZ\r", ok), (b"&D2\r", ok), (b"5551234\r", connect),
                                        *prompts],
             script=login.replace("/etc/serialbundle/provider.password", "password"),
             files={"password": b"hush\n"}),
        case("example: SLIP", answers=[(b"ATZ\r", ok), (b"5551234\r", connect), *prompts],
             script=slip),
        case("example: radio", answers=[(b"AT\r", ok), (b"ATE0\r", ok), (b"?\r", b"+CPIN: READY\r\n"),
                                        (b'internet"\r', ok), (b"*99#\r", connect)],
             script=radio),
        case("example: Windows", answers=[(b"CLIENT", b"CLIENTSERVER")], script=windows),
    ]  # fmt: skip


def cases(case):
    groups = (plain, matching, chains, watching, telling, sending, examples)
    return [one for group in groups for one in group(case)]
