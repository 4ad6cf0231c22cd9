import ArgumentParser

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes the tokens and signatures that an app's own server issues to its users.",
        discussion: HelpText.text(
            """
            What is printed lets its holder in: do not put it into logs.

            EXAMPLES
              lifeline token chat ann
              lifeline token pubnub --channel room=read,write --ttl 60
              lifeline token pusher 123.456 private-room
            """),
        subcommands: [TokenChatCommand.self, TokenPubNubCommand.self, TokenPusherCommand.self])
}
