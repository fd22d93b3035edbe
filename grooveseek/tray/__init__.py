"""A dot in the system's tray that shows how a background service does, with a menu to start and stop it."""
