"""`torseur live`: a page with sliders that runs the model again at every move."""

from __future__ import annotations

from pathlib import Path

from ...errors import TorseurError
from ..base import CommandResult, command


def _options(p):
    p.add_argument("file", help="model: .yaml, .json, .urdf or .xml; it is watched")
    p.add_argument("--port", type=int, default=0, help="on 127.0.0.1 (any free one)")
    p.add_argument("--no-open", action="store_true", help="print the address, open no browser")


@command(
    "live",
    "a page with sliders for parameters, initial values and inputs; the file is watched",
    ["live arm.yaml", "live arm.yaml --no-open"],
    _options,
)
def live(args) -> CommandResult:
    """Serve one page on this machine until it is interrupted."""
    import webbrowser

    from ..live_server import LiveServer

    if not 0 <= args.port < 65536:
        raise TorseurError(f"--port {args.port}: expected 0 (any free one) to 65535")
    with LiveServer(Path(args.file), args.port) as server:
        print(f"{args.file}: {server.address}\nControl-C ends it", flush=True)
        if not args.no_open:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            pass
        finally:
            server.closing.set()
    return CommandResult("", {"file": str(args.file)})
