import ArgumentParser
import ConnectionEngine
import WireCoding

struct TokenChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Requests an access token for a chat user from the server, and prints the token.",
        discussion: HelpText.text(
            """
            Calls auth/access-token/issue of the server API. The server registers a user that it does not know. The token is valid for the \
            time that the server's setting nexconn.tokenLifetime says.

            EXAMPLES
              lifeline token chat ann
              lifeline token chat ann --name 'Ann Lee' --config lifeline.json
              lifeline listen --service chat --token "$(lifeline token chat ann)" --channel lobby
            """))

    @Argument(help: "The user's id.")
    var user: String

    @Option(help: "The user's name, which other users see (default: the id).")
    var name: String?

    @Option(help: ArgumentHelp("The address of the user's picture.", valueName: "url"))
    var avatar: String?

    @Flag(help: "Prints the result as a JSON object: user and token.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func run() async throws {
        let api = try ServerAPI(server, for: .nexconn)
        let body: JSONValue = [
            "userId": .string(user), "name": .string(name ?? user), "avatarUrl": .string(avatar ?? ""),
        ]
        let answer = try await ServerAPI.json { () async throws(ConnectionFailure) in
            try await api.chat("auth/access-token/issue", body)
        }
        guard let token = answer["result"]?["accessToken"]?.string else {
            throw CommandFailure("The server's answer has no access token. Check that --url names a chat server.")
        }
        guard json else { return StandardOutput.print(token) }
        var object = JSONObject()
        object.put("user", user)
        object.put("token", token)
        StandardOutput.print(object.text)
    }
}
