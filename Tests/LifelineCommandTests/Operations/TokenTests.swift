import PubNubProtocol
import PusherProtocol
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("lifeline token (rules CL-104 to CL-106)")
struct TokenTests {
    private let credentials = ServerCredentials(appID: "1", key: "278d425bdf160c739803", secret: "7ad3773142a6692b25b8")

    private func signature(_ arguments: String...) throws -> String {
        try TokenPusherCommand.parse(arguments).signature(with: credentials)
    }

    @Test("CL-106: signatures are those of the vendor's documentation")
    func pusher() throws {
        #expect(
            try signature("1234.1234", "private-foobar")
                == #"{"auth":"278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4"}"#)
        let presence = try JSONText(
            signature("1234.1234", "presence-foobar", "--user", "10", "--user-info", #"{"name":"Mr. Channels"}"#))
        #expect(presence["channel_data"]?.string == #"{"user_id":"10","user_info":{"name":"Mr. Channels"}}"#)
        let data = try #require(presence["channel_data"]?.string)
        #expect(
            PusherSignature.isValid(
                channelAuth: try #require(presence["auth"]?.string), socketID: "1234.1234", channel: "presence-foobar",
                channelData: data, key: credentials.key, secret: credentials.secret.revealed))
    }

    @Test(
        "CL-106: what needs no signature, and what would sign something else, is refused",
        arguments: [
            ["1234", "private-a"], ["1234.", "private-a"], ["1.2::user", "private-a"], ["1.2:private-b", "private-a"],
            ["1.2", "public"], ["1.2", "private-encrypted-a"], ["1.2", "presence-a"], ["1.2", "private-a b"],
            ["1.2", "private-a", "--user", "u"], ["1.2", "presence-a", "--user", "u", "--user-info", "{"],
        ])
    func refused(arguments: [String]) throws {
        let command = try TokenPusherCommand.parse(arguments)
        let failure = #expect(throws: CommandFailure.self) { try command.signature(with: credentials) }
        #expect(failure?.kind == .usage)
    }

    @Test("CL-105: rights stand behind the last =, and have defaults")
    func rights() throws {
        let options = try PubNubRightsOptions.parse([
            "--channel", "room", "--channel", "a=b=read", "--group", "g", "--uuid", "ann=get,update", "--channel-pattern",
            "r-[0-9]+=all",
        ])
        let (resources, patterns) = try options.grants()
        #expect(resources.channels == ["room": [.read, .write], "a=b": .read])
        #expect(resources.groups == ["g": .read] && resources.users == ["ann": [.get, .update]])
        #expect(patterns.channels == ["r-[0-9]+": .all])
        for wrong in [["--channel", "a=fly"], ["--channel", "=read"], ["--channel", "a="], ["--channel-pattern", "(=read"]] {
            let options = try PubNubRightsOptions.parse(wrong)
            #expect(throws: CommandFailure.self) { try options.grants() }
        }
    }

    @Test("CL-105: a token is read back with all that it grants")
    func report() throws {
        var token = PubNubAccessToken(
            issued: 1_700_000_000, ttl: 60, resources: PubNubGrants(channels: ["room": [.read, .write], "\u{1B}[2J": []]),
            patterns: PubNubGrants(users: ["u.*": .get]), authorizedUser: "ann")
        token.sign(with: "secret")
        let report = try PubNubTokenReport(token.text)
        #expect(
            report.lines(now: 1_700_000_001) == [
                "issued: 2023-11-14T22:13:20.000Z", "valid for: 60 minutes, until 2023-11-14T23:13:20.000Z",
                "authorized uuid: ann", "channel room: read, write", "channel \\u001B[2J: nothing", "uuid pattern u.*: get",
            ])
        #expect(report.lines(now: 1_700_003_600)[1].hasSuffix("which is over"))
        let json = try JSONText(report.json)
        #expect(json["expires"]?.integer == 1_700_003_600)
        #expect(json["resources"]?["channels"]?["room"]?.elements?.compactMap(\.string) == ["read", "write"])
        #expect(throws: CommandFailure.self) { try PubNubTokenReport("p0no") }
        // Times that whoever made the token chose freely.
        let endless = PubNubAccessToken(issued: .max, ttl: .max)
        #expect(!(try PubNubTokenReport(endless.text).lines(now: 0).isEmpty))
    }
}
