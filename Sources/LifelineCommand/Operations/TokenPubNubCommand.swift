import ArgumentParser
import ConnectionEngine
import Foundation
import PubNubProtocol

struct TokenPubNubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pubnub",
        abstract: "Requests an access token from PubNub's access manager (version 3), or prints what a token grants.",
        discussion: HelpText.text(
            """
            A resource is a name, or with the -pattern options a regular expression that must match the whole name. Rights follow behind \
            the last = and are separated by commas: read, write, manage, delete, create, get, update, join, or all. Without them channels \
            get read and write, groups read, and uuids get.

            The server at --url signs the token, which works with every server. With --local the token is signed here with the secret key \
            and no server is asked; a server of this package accepts it.

            --parse prints what a token grants; it does not check the signature. Because a token lets its holder in, give it as - and \
            write it to standard input.

            EXAMPLES
              lifeline token pubnub --channel room --channel news=read --ttl 60
              lifeline token pubnub --channel-pattern 'room-[0-9]+=read,write' --authorized-uuid ann --json
              lifeline token pubnub --channel room | lifeline token pubnub --parse -
            """))

    @OptionGroup(title: "Rights") var rights: PubNubRightsOptions

    @Option(help: ArgumentHelp("How long the token is valid, 1 to 43200 minutes.", valueName: "minutes"))
    var ttl = 60

    @Option(help: ArgumentHelp("The only user id with which the token may be used.", valueName: "uuid"))
    var authorizedUuid: String?

    @Flag(help: "Signs the token on this machine instead of requesting it from the server.")
    var local = false

    @Option(
        help: ArgumentHelp("Prints the rights that this token grants; - reads the token from standard input.", valueName: "token")
    )
    var parse: String?

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func validate() throws {
        guard (1...43_200).contains(ttl) else { throw ValidationError("--ttl takes 1 to 43200 minutes.") }
        if parse == nil, rights.isEmpty {
            throw ValidationError("The token would grant nothing. Name what it grants, for example --channel room=read,write.")
        }
        if parse != nil, !rights.isEmpty || authorizedUuid != nil || local {
            throw ValidationError("--parse reads a token; options that grant something exclude it.")
        }
    }

    func run() async throws {
        if let parse {
            let text = parse == "-" ? (readLine(strippingNewline: true) ?? "").trimmingSpaces : parse
            let report = try PubNubTokenReport(text)
            return StandardOutput.print(
                json ? report.json : report.lines(now: Int(Date().timeIntervalSince1970)).joined(separator: "\n"))
        }
        let grants = try rights.grants()
        let token = local ? try sign(grants) : try await grant(grants)
        StandardOutput.print(json ? try PubNubTokenReport(token).json(withToken: token) : token)
    }

    private func sign(_ grants: (resources: PubNubGrants, patterns: PubNubGrants)) throws(CommandFailure) -> String {
        var token = PubNubAccessToken(
            issued: Int(Date().timeIntervalSince1970), ttl: ttl, resources: grants.resources, patterns: grants.patterns,
            authorizedUser: authorizedUuid)
        token.sign(with: try server.credentials(for: .pubnub).secret.revealed)
        return token.text
    }

    private func grant(
        _ grants: (resources: PubNubGrants, patterns: PubNubGrants)
    ) async throws(CommandFailure) -> String {
        let api = try ServerAPI(server, for: .pubnub)
        var permissions = JSONObject()
        permissions.put("resources", json: Self.json(grants.resources))
        permissions.put("patterns", json: Self.json(grants.patterns))
        permissions.put("meta", json: "{}")
        if let authorizedUuid { permissions.put("uuid", authorizedUuid) }
        var body = JSONObject()
        body.put("ttl", ttl)
        body.put("permissions", json: permissions.text)
        let request = PubNubRequest(
            method: "POST", path: ["v3", "pam", PubNubRequest.pathList([api.credentials.key]), "grant"],
            body: Array(body.text.utf8))
        let answer = try await ServerAPI.json { () async throws(ConnectionFailure) in try await api.pubnub(request) }
        guard let token = answer["data"]?["token"]?.string else {
            throw CommandFailure("The server's answer has no token. Check that --url names a PubNub server.")
        }
        return token
    }

    private static func json(_ grants: PubNubGrants) -> String {
        var object = JSONObject()
        object.put("channels", json: PubNubTokenReport.bits(grants.channels))
        object.put("groups", json: PubNubTokenReport.bits(grants.groups))
        object.put("uuids", json: PubNubTokenReport.bits(grants.users))
        return object.text
    }
}
