#!/usr/bin/env python3
"""Counts the verdicts in a report of the Autobahn test suite. Usage: summarize.py reports/clients/index.json"""

import collections
import json
import sys

GOOD = ("OK", "INFORMATIONAL", "NON-STRICT", "UNIMPLEMENTED")


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(2)
    with open(sys.argv[1]) as file:
        report = json.load(file)
    for agent, cases in report.items():
        verdicts = collections.Counter(case["behavior"] for case in cases.values())
        closes = collections.Counter(case["behaviorClose"] for case in cases.values())
        print(agent, len(cases), dict(verdicts), "close:", dict(closes), "sum_ms", sum(case["duration"] for case in cases.values()))
        print("  not ok:", [name for name, case in cases.items() if case["behavior"] not in GOOD])
        groups = collections.defaultdict(list)
        for name, case in cases.items():
            groups[name.split(".")[0]].append(case["duration"])
        print("  groups:", {name: (len(times), f"{sum(times) / 1000:.1f}s") for name, times in sorted(groups.items(), key=lambda g: int(g[0]))})


if __name__ == "__main__":
    main()
