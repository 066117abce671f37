"""What really answers calls: servers, Python modules, recordings, and a mix of them by tool."""
