import ArgumentParser
import PusherProtocol
import WireCoding

struct TokenPusherCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pusher",
        abstract: "Signs a subscription to a private or presence channel, as an authorisation endpoint does.",
        discussion: HelpText.text(
            """
            Prints the JSON object that a client expects from its endpoint: auth, and channel_data for presence channels. It is good for \
            one connection, because the connection's socket id is signed. No server is asked.

            EXAMPLES
              lifeline token pusher 123.456 private-room
              lifeline token pusher 123.456 presence-room --user ann --user-info '{"name":"Ann Lee"}'
            """))

    @Argument(help: "The socket id of the client's connection, such as 123.456.")
    var socketID: String

    @Argument(help: "The name of the channel: private-… or presence-….")
    var channel: String

    @Option(help: "The id of the user, for presence channels.")
    var user: String?

    @Option(
        help: ArgumentHelp("The data about the user that other members see, as JSON; for presence channels.", valueName: "json"))
    var userInfo: String?

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func run() throws {
        StandardOutput.print(try signature(with: server.credentials(for: .pusher)))
    }

    func signature(with credentials: ServerCredentials) throws(CommandFailure) -> String {
        let digits = socketID.split(separator: ".", omittingEmptySubsequences: false)
        // A socket id must be two numbers. With other characters, the signed text could be the same as a text that is signed for another
        // purpose, such as a user's sign-in.
        guard digits.count == 2, digits.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            throw CommandFailure(
                "\"\(socketID.prefix(60).printable)\" is not a socket id: two numbers with a dot in between, such as 123.456.",
                .usage)
        }
        guard let name = try? PusherChannelName(channel) else {
            throw CommandFailure(
                "\"\(channel.prefix(60).printable)\" is not a valid name of a Pusher channel: it must have 1 to 200 characters, "
                    + "letters, digits and _-=@,.; only.", .usage)
        }
        var data: String?
        switch PusherChannelKind(of: name.name).access {
        case .encrypted:
            throw CommandFailure(
                "The channel \(channel) is encrypted: its subscribers also need a shared secret, which only your own server can issue.",
                .usage)
        case .presence:
            guard let user, !user.isEmpty else {
                throw CommandFailure("A presence channel needs the id of the user: give it with --user.", .usage)
            }
            data = try Self.channelData(user, userInfo)
        case .private: break
        default: throw CommandFailure("The channel \(channel) is public: a subscription to it needs no signature.", .usage)
        }
        if data == nil, user != nil || userInfo != nil {
            throw CommandFailure("--user and --user-info are for presence channels.", .usage)
        }
        var object = JSONObject()
        object.put(
            "auth",
            PusherSignature.channelAuth(
                socketID: socketID, channel: channel, channelData: data, key: credentials.key,
                secret: credentials.secret.revealed))
        if let data { object.put("channel_data", data) }
        return object.text
    }

    private static func channelData(_ user: String, _ info: String?) throws(CommandFailure) -> String {
        var object = JSONObject()
        object.put("user_id", user)
        if let info {
            guard let json = try? JSONText(info) else {
                throw CommandFailure("--user-info must be JSON, such as '{\"name\":\"Ann\"}'.", .usage)
            }
            object.put("user_info", json: json.text)
        }
        return object.text
    }
}
