import ArgumentParser
import ConnectionEngine
import WireCoding

struct UsersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Manages the users of a running server.",
        subcommands: [UsersTerminateCommand.self])
}

struct UsersTerminateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminate",
        abstract: "Ends all connections of a user.",
        discussion: HelpText.text(
            """
            Pusher: closes every connection that is signed in as the user, with code 4009, after which clients do not come back by \
            themselves. Connections that never signed in are not the user's. The service does not say how many there were.

            Chat: makes all tokens void that were issued before now, which ends the user's sessions. The user needs a new token.

            PubNub has no such call: revoke the user's token instead.

            EXAMPLES
              lifeline users terminate ann
              lifeline users terminate ann --service chat --config lifeline.json --json
            """))

    @Argument(help: "The user's id.")
    var user: String

    @Option(help: "The service to which the user is connected.")
    var service = ServiceKind.pusher

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func run() async throws {
        guard !user.isEmpty else { throw CommandFailure("Name a user.", .usage) }
        let result: String
        switch service {
        case .pusher:
            let api = try ServerAPI(server, for: .pusher)
            _ = try await ServerAPI.json { () async throws(ConnectionFailure) in
                try await api.pusher(
                    "POST", "users/\(PercentEncoding.encode(user))/terminate_connections", body: Array("{}".utf8))
            }
            result = "every connection that is signed in as \(user) is closed"
        case .nexconn:
            let api = try ServerAPI(server, for: .nexconn)
            let body: JSONValue = [
                "userIds": .array([.string(user)]), "expiresAt": .number(JSONNumber(api.unixMilliseconds())),
            ]
            _ = try await ServerAPI.json { () async throws(ConnectionFailure) in
                try await api.chat("auth/access-token/expire", body)
            }
            result = "the sessions of \(user) are closed, and tokens that were issued before now are void"
        case .pubnub:
            throw CommandFailure(
                "PubNub cannot end the connections of a user. Revoke the user's token with DELETE /v3/pam/…/grant/TOKEN instead.",
                .usage)
        }
        guard json else { return StandardOutput.print("terminated: \(result.printable)") }
        var object = JSONObject()
        object.put("ev", "terminated")
        object.put("service", service.rawValue)
        object.put("user", user)
        StandardOutput.print(object.text)
    }
}
