"""labgrid strategy: power-cycle a board that boots pmuproof by itself, and take the log of that boot."""
import enum

import attr

from labgrid.driver import Driver  # noqa: F401  (registers the drivers the environment names)
from labgrid.factory import target_factory
from labgrid.step import step
from labgrid.strategy import Strategy, StrategyError

HEADER = r"TAP version 13\r?\n"
END = r"# END OF TAP: (?:pass|fail|skip), \d+ lines, CRC-32 [0-9A-F]{8}\r?\n"
BAIL = r"Bail out!.*\r?\n"


class Status(enum.Enum):
    unknown = 0
    off = 1
    tested = 2


@target_factory.reg_driver
@attr.s(eq=False)
class PmuproofStrategy(Strategy):
    """States: off, and tested: one boot has come to its end, and `log` holds what its serial line said.

    boot_timeout: seconds from power on to the header of the log (memory test, boot menu, slow disks)
    run_timeout: seconds from there to the end line
    """

    bindings = {"power": "PowerProtocol", "console": "ConsoleProtocol"}

    boot_timeout = attr.ib(default=180, validator=attr.validators.instance_of(int))
    run_timeout = attr.ib(default=120, validator=attr.validators.instance_of(int))
    status = attr.ib(default=Status.unknown)
    log = attr.ib(default=b"")

    @step(args=["status"])
    def transition(self, status, *, step):
        if not isinstance(status, Status):
            status = Status[status]
        if status == Status.off:
            self.target.activate(self.power)
            self.power.off()
        elif status == Status.tested:
            self.transition(Status.off)
            self.target.activate(self.console)
            self.power.cycle()
            self.capture()
        else:
            raise StrategyError(f"no transition to {status}: off and tested are the states")
        self.status = status

    def capture(self):
        """Fill `log` up to the end line. Raises pexpect's TIMEOUT; `log` then holds what came until then."""
        self.log = b""
        _, before, _, after = self.console.expect(HEADER, timeout=self.boot_timeout)
        self.log = before + after
        try:
            _, before, _, after = self.console.expect([END, BAIL], timeout=self.run_timeout)
            self.log += before + after
        except Exception:
            self.log += self.console._expect.before or b""
            raise
