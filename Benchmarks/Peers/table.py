"""A table of the lines that recv.sh gathered. Usage: table.py FILE"""

import json
import statistics
import sys

runs = {}
with open(sys.argv[1]) as file:
    for line in file:
        try:
            result = json.loads(line)
        except ValueError:
            print("no result:", line[:160].strip())
            continue
        runs.setdefault(result["client"], []).append(result)
print(f"{'client':18}{'msgs/s median':>14}{'min':>12}{'max':>12}{'cpu us/msg':>12}{'runs':>5}")
for client, results in runs.items():
    rates = [result["msgs_per_s"] for result in results]
    used = statistics.median(result["cpu_us_per_msg"] for result in results)
    print(f"{client:18}{statistics.median(rates):14,.0f}{min(rates):12,.0f}{max(rates):12,.0f}{used:12.3f}{len(results):5}")
