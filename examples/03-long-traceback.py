"""What a failure looks like: the output so far, then the traceback as Python prints it."""

import json


class ConfigError(Exception):
    pass


def load(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError("the configuration is not JSON") from error


def main():
    print("loading", flush=True)
    load('{"port": 80,}')


main()
