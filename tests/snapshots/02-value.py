{"name": "Ada", "born": 1815}
