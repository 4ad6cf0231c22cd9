import ArgumentParser

/// What `lifeline serve` can be told about the Redis that several servers share.
struct ServeRedisOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Shares everything with other servers through this Redis or Valkey 7: redis:// or rediss://, user and password, host and port.",
            valueName: "url"))
    var redis: String?

    @Option(help: ArgumentHelp("What this server is called among them (default: the name of the machine).", valueName: "name"))
    var node: String?

    @Option(help: ArgumentHelp("What the names of all keys in Redis begin with (default: lifeline).", valueName: "prefix"))
    var redisPrefix: String?
}
