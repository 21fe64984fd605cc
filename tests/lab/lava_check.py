"""What lab.t asks LAVA's own library about the files in tools/lab/lava, one command each:

  lava_check.py job FILE...             validate job definitions, strictly; prints "FILE: valid" or the reason
  lava_check.py device DIR FILE...      render device dictionaries with LAVA's templates in DIR and validate them
  lava_check.py results JOB... LOG...   take each LOG apart with the monitor of each JOB (a .yaml); prints "JOB LOG:", then
                                        "result id" for each test case
"""
import pathlib
import re
import sys

import voluptuous
import yaml


def job(*files):
    from lava_common.schemas import validate

    for name in files:
        try:
            validate(yaml.safe_load(open(name)), strict=True)
            print(f"{name}: valid")
        except voluptuous.Invalid as why:
            print(f"{name}: {why}")


def device(templates, *files):
    import jinja2
    from lava_common.schemas.device import validate

    for name in files:
        here = pathlib.Path(name)
        loader = jinja2.FileSystemLoader([str(here.parent), templates])
        text = jinja2.Environment(loader=loader, trim_blocks=True).get_template(here.name).render()
        try:
            validate(yaml.safe_load(text))
            print(f"{name}: valid")
        except voluptuous.Invalid as why:
            print(f"{name}: {why}")


def results(*files):
    jobs = [name for name in files if name.endswith(".yaml")]
    for job_name in jobs:
        actions = yaml.safe_load(open(job_name))["actions"]
        monitor = next(a["test"]["monitors"][0] for a in actions if "test" in a)
        for log_name in files[len(jobs) :]:
            print(f"{job_name} {log_name}:")
            take_apart(monitor, open(log_name, encoding="utf-8", errors="replace", newline="").read())


def take_apart(monitor, text):
    """As lava_dispatcher's monitor does: search for start, then for whichever of end and pattern comes first."""
    at = re.search(monitor["start"], text)
    if not at:
        print("no start")
        return
    either = re.compile("(?P<END>" + monitor["end"] + ")|(?:" + monitor["pattern"] + ")", re.M)
    for found in either.finditer(text, at.end()):
        if found.group("END"):
            print("end")
            return
        print(monitor["fixupdict"][found.group("result")], found.group("test_case_id"))
    print("no end")


COMMANDS = {"job": job, "device": device, "results": results}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
