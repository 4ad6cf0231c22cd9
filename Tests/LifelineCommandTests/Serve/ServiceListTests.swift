import ServerStorage
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("Keysets and chat applications from the configuration (rules SO-1 to SO-4, SO-82)")
struct ServiceListTests {
    private func keysets(
        _ file: String = "{}", _ environment: [String: String] = [:], _ arguments: [String] = []
    ) throws -> [Keyset] {
        try ServeSettings.keysets(
            ServeCommand.parse(arguments).options, environment: environment, file: SettingsFile(JSONText(file)))
    }

    private func chats(
        _ file: String = "{}", _ environment: [String: String] = [:], _ arguments: [String] = []
    ) throws -> [ChatApplication] {
        try ServeSettings.chatApplications(
            ServeCommand.parse(arguments).options, environment: environment, file: SettingsFile(JSONText(file)))
    }

    /// What is said about settings that cannot be; all of it is wrong usage.
    private func failure(_ read: () throws -> Void) -> String {
        let failure = #expect(throws: CommandFailure.self) { try read() }
        #expect(failure?.kind == .usage)
        return failure?.message ?? ""
    }

    private static let keyset = """
        {"publishKey": "p1", "subscribeKey": "s1", "secret": "k1", "previousSecret": "k0", "enabled": false,
         "accessManager": true, "pollHold": 25, "announceMaximum": 3, "presenceInterval": 4, "historyRetention": 86400,
         "historyMessages": 5, "historyBytes": 6}
        """
    private static let chat = """
        {"key": "c1", "secret": "k1", "previousSecret": "k0", "enabled": false, "syncDevices": true, "presence": false,
         "ownRecalls": true, "createOpenChannels": false, "manyOpenChannels": false, "sendRate": 5, "devices": 2,
         "openGrace": 7, "tokenLifetime": 60, "historyRetention": 604800, "historyMessages": 8, "historyBytes": 9, "webhook": "https://a.example/hook",
         "limits": {"connections": 11, "changesPerSecond": 12, "queriesPerSecond": 13, "callsPerSecond": 14, "users": 15,
          "groups": 16, "groupMembers": 17, "openChannels": 18, "contentBytes": 19}}
        """

    @Test("Every field of each keyset of a list arrives, from the file and from the variable")
    func everyKeyset() throws {
        let list = #"[\#(Self.keyset), {"publishKey": "p2", "subscribeKey": "s2", "secret": "k2"}]"#
        let expected = [
            Keyset(
                publishKey: "p1", subscribeKey: "s1", secretKey: "k1", previousSecretKey: "k0", isEnabled: false,
                requiresGrants: true, announceMaximum: 3, presenceInterval: .seconds(4), pollHold: .seconds(25),
                historyRetention: .seconds(86_400), historyMessages: 5, historyBytes: 6),
            Keyset(publishKey: "p2", subscribeKey: "s2", secretKey: "k2"),
        ]
        #expect(try keysets(#"{"pubnub": \#(list)}"#) == expected)
        #expect(try keysets("{}", ["LIFELINE_PUBNUB": list]) == expected)
        #expect(try keysets(#"{"pubnub": \#(Self.keyset)}"#) == [expected[0]])
        #expect(try keysets(#"{"pubnub": [\#(Self.keyset)]}"#) == [expected[0]])
        // The variable replaces what the file has.
        #expect(try keysets(#"{"pubnub": {"secret": "x"}}"#, ["LIFELINE_PUBNUB": list]) == expected)
    }

    @Test("Every field of each chat application of a list arrives, from the file and from the variable")
    func everyChat() throws {
        let list = #"[\#(Self.chat), {"key": "c2", "secret": "k2"}]"#
        var limits = ChatLimits()
        limits.sendsPerSecond = 5
        limits.devicesPerClass = 2
        limits.openGrace = .seconds(7)
        limits.connections = 11
        limits.changesPerSecond = 12
        limits.queriesPerSecond = 13
        limits.callsPerSecond = 14
        limits.users = 15
        limits.groups = 16
        limits.groupMembers = 17
        limits.openChannels = 18
        limits.contentBytes = 19
        limits.historyRetention = .seconds(604_800)
        limits.historyMessages = 8
        limits.historyBytes = 9
        let expected = [
            ChatApplication(
                key: "c1", secret: "k1", previousSecret: "k0", isEnabled: false, limits: limits, syncsDevices: true,
                createsOpenChannels: false, allowsManyOpenChannels: false, recallsOwnOnly: true, hasPresence: false,
                tokenLifetime: .seconds(60), webhook: "https://a.example/hook"),
            ChatApplication(key: "c2", secret: "k2"),
        ]
        #expect(try chats(#"{"nexconn": \#(list)}"#) == expected)
        #expect(try chats("{}", ["LIFELINE_NEXCONN": list]) == expected)
        #expect(try chats(#"{"nexconn": \#(Self.chat)}"#) == [expected[0]])
    }

    @Test("A single one: options before variables, variables before the file, and the rest from the development credentials")
    func precedence() throws {
        var keyset = Keyset.development
        keyset.publishKey = "file"
        keyset.subscribeKey = "variable"
        keyset.secretKey = "option"
        keyset.previousSecretKey = "variable"
        keyset.isEnabled = false
        let file = #"{"pubnub": {"publishKey": "file", "subscribeKey": "file", "secret": "file"}}"#
        let variables = [
            "LIFELINE_PUBNUB_SUBSCRIBE_KEY": "variable", "LIFELINE_PUBNUB_SECRET": "variable",
            "LIFELINE_PUBNUB_PREVIOUS_SECRET": "variable", "LIFELINE_PUBNUB_ENABLED": "no",
        ]
        #expect(try keysets(file, variables, ["--pubnub-secret", "option"]) == [keyset])
        let object = #"{"publishKey": "file", "subscribeKey": "other", "secret": "other"}"#
        #expect(
            try keysets(
                #"{"pubnub": {"announceMaximum": 1}}"#, variables.merging(["LIFELINE_PUBNUB": object]) { $1 },
                ["--pubnub-secret", "option"]) == [keyset])
        var chat = ChatApplication.development
        chat.key = "variable"
        chat.previousSecret = "option"
        chat.tokenLifetime = .seconds(9)
        chat.limits.connections = 3
        #expect(
            try chats(
                #"{"nexconn": {"key": "file", "tokenLifetime": 9, "limits": {"connections": 2}}}"#,
                ["LIFELINE_NEXCONN_KEY": "variable", "LIFELINE_NEXCONN_LIMITS_CONNECTIONS": "3"],
                ["--nexconn-previous-secret", "option"]) == [chat])
    }

    @Test(
        "What cannot be is named with its place and what to do, and no secret (SO-2 to SO-4, SO-91)",
        arguments: [
            (
                #"{"pubnub": [{"subscribeKey": "s", "secret": "hidden"}]}"#,
                "The setting pubnub[0].publishKey (line 1) is missing."
            ),
            (
                #"{"pubnub": [{"publishKey": "p", "secret": "hidden"}]}"#,
                "The setting pubnub[0].subscribeKey (line 1) is missing."
            ),
            (#"{"pubnub": [{"publishKey": "p", "subscribeKey": "s"}]}"#, "The setting pubnub[0].secret (line 1) is missing."),
            (#"{"pubnub": "hidden"}"#, "pubnub (line 1) must be an object or a list of objects"),
            (#"{"pubnub": [7]}"#, "pubnub[0] (line 1) is 7; it must be an object"),
            (
                #"{"pubnub": [{"publishKey": "p", "subscribeKey": "s", "secret": "a"}, {"publishKey": "q", "subscribeKey": "s", "secret": "hidden"}]}"#,
                "pubnub[1] (line 1) has the same subscribeKey as pubnub[0]. Every keyset needs its own."
            ),
            (
                #"{"pubnub": [{"publishKey": "p", "subscribeKey": "s", "secret": "a"}, {"publishKey": "p", "subscribeKey": "t", "secret": "hidden"}]}"#,
                "pubnub[1] (line 1) has the same publishKey as pubnub[0]. Every keyset needs its own."
            ),
            (
                #"{"pubnub": {"subscribeKey": "access:x"}}"#,
                #"pubnub.subscribeKey (line 1) is "access:x"; it must be 1 to 200 ASCII characters"#
            ),
            (
                #"{"pubnub": {"previousSecret": ""}}"#,
                "pubnub.previousSecret (line 1) is empty; it must be a non-empty string"
            ),
            (
                #"{"pubnub": {"pollHold": 301}}"#,
                "pubnub.pollHold (line 1) is 301; it must be an integer from 1 to 300, in seconds"
            ),
            (
                #"{"pubnub": {"presenceInterval": 0}}"#,
                "pubnub.presenceInterval (line 1) is 0; it must be an integer from 1 to 3600, in seconds"
            ),
            (#"{"pubnub": {"announceMaximum": -1}}"#, "pubnub.announceMaximum (line 1) is -1; it must be an integer from 0"),
            (#"{"pubnub": {"limits": {}}}"#, "There is no setting pubnub.limits (line 1)."),
        ])
    func wrongKeysets(file: String, expected: String) {
        let message = failure { _ = try keysets(file) }
        #expect(message.contains(expected) && !message.contains("hidden"))
    }

    @Test(
        "The same for chat applications",
        arguments: [
            (#"{"nexconn": [{"secret": "hidden"}]}"#, "The setting nexconn[0].key (line 1) is missing."),
            (#"{"nexconn": [{"key": "a", "secret": "s"}, {"key": "b"}]}"#, "The setting nexconn[1].secret (line 1) is missing."),
            (
                #"{"nexconn": [{"key": "a", "secret": "s"}, {"key": "b", "secret": "s"}, {"key": "a", "secret": "hidden"}]}"#,
                "nexconn[2] (line 1) has the same key as nexconn[0]. Every chat application needs its own."
            ),
            (
                #"{"nexconn": [{"key": "a", "secret": "s", "webhook": "hidden"}]}"#,
                "nexconn[0].webhook (line 1) must be an address"
            ),
            (
                #"{"nexconn": [{"key": "a", "secret": "s", "sendRate": 0}]}"#,
                "nexconn[0].sendRate (line 1) is 0; it must be an integer from 1"
            ),
            (#"{"nexconn": {"limits": {"conections": 1}}}"#, "There is no setting nexconn.limits.conections (line 1)."),
            (
                #"{"nexconn": [{"key": "a", "secret": "s", "limits": {"contentBytes": 131073}}]}"#,
                "nexconn[0].limits.contentBytes (line 1) is 131073; it must be an integer from 1 to 131072"
            ),
            (#"{"nexconn": [{"key": "a", "sekret": "hidden"}]}"#, "There is no setting nexconn[0].sekret (line 1)."),
            (#"{"nexconn": {"key": "a/x"}}"#, #"nexconn.key (line 1) is "a/x"; it must be 1 to 128 ASCII characters"#),
        ])
    func wrongChats(file: String, expected: String) {
        let message = failure { _ = try chats(file) }
        #expect(message.contains(expected) && !message.contains("hidden"))
    }

    @Test("One and several at once are refused; a variable that got lost on the way is no reason for the development keys (SO-7)")
    func oneAndSeveral() throws {
        let file = #"{"pubnub": [\#(Self.keyset)], "nexconn": [\#(Self.chat)]}"#
        #expect(
            failure { _ = try keysets(file, ["LIFELINE_PUBNUB_SECRET": "x"]) }.contains(
                "LIFELINE_PUBNUB_SECRET is for a single keyset, but pubnub (line 1) names several. Move this setting into the list pubnub."
            ))
        #expect(
            failure { _ = try keysets(file, [:], ["--pubnub-poll-hold", "9"]) }.contains("--pubnub-poll-hold is for a single"))
        #expect(
            failure { _ = try chats(file, ["LIFELINE_NEXCONN_KEY": "x"]) }.contains(
                "LIFELINE_NEXCONN_KEY is for a single chat application"))
        #expect(
            failure { _ = try chats(file, [:], ["--nexconn-webhook", "http://a"]) }.contains("--nexconn-webhook is for a single"))
        for text in ["", "null", "7", "{"] {
            #expect(failure { _ = try keysets("{}", ["LIFELINE_PUBNUB": text]) }.contains("LIFELINE_PUBNUB "))
            #expect(failure { _ = try chats("{}", ["LIFELINE_NEXCONN": text]) }.contains("LIFELINE_NEXCONN "))
        }
        for name in ["SECRET", "PREVIOUS_SECRET"] {
            #expect(failure { _ = try keysets("{}", ["LIFELINE_PUBNUB_\(name)": ""]) }.contains("must be a non-empty string"))
            #expect(failure { _ = try chats("{}", ["LIFELINE_NEXCONN_\(name)": ""]) }.contains("must be a non-empty string"))
        }
    }

    @Test(
        "Every one of a list reaches the server; the bridge has the first of each service, and its access manager is what counts")
    func configuration() async throws {
        let two =
            #"[{"publishKey": "a", "subscribeKey": "a", "secret": "x"}, {"publishKey": "b", "subscribeKey": "b", "secret": "x", "accessManager": true}]"#
        let settings = try ServeSettings(
            command: ServeCommand.parse(["--bridge"]),
            environment: [
                "LIFELINE_PUBNUB": two, "LIFELINE_NEXCONN": #"[{"key": "c", "secret": "x"}, {"key": "d", "secret": "x"}]"#,
            ])
        let configuration = settings.configuration(
            registry: InMemoryApplicationRegistry([]), logger: .init(label: "test"))
        #expect(configuration.keysets.map(\.subscribeKey) == ["a", "b"])
        #expect(configuration.chatApplications.map(\.key) == ["c", "d"])
        #expect(configuration.bridge?.subscribeKey == "a" && configuration.bridge?.chatKey == "c")
        #expect(settings.strayVariables.isEmpty)
        let lines = ServeReport(settings: settings).lines
        #expect(lines.contains("pubnub a: access manager off, polls held 280 s") && lines.contains("chat d: presence on"))
    }

    @Test func `SO-167: the report names how long a keyset's messages are kept, and over Redis that nothing else bounds them`()
        throws
    {
        func line(_ environment: [String: String]) throws -> String? {
            let environment = environment.merging(["LIFELINE_PUBNUB_SECRET": "x"]) { $1 }
            let settings = try ServeSettings(command: ServeCommand.parse([]), environment: environment)
            return ServeReport(settings: settings).lines.first { $0.hasPrefix("pubnub") }
        }
        let start = "pubnub: access manager off, polls held 280 s"
        #expect(try line([:]) == start)
        #expect(try line(["LIFELINE_PUBNUB_HISTORY_RETENTION": "86400"]) == start + ", history of 86400 s")
        #expect(try line(["LIFELINE_REDIS": "redis://127.0.0.1"]) == start + ", history without historyRetention")
        let both = ["LIFELINE_REDIS": "redis://127.0.0.1", "LIFELINE_PUBNUB_HISTORY_RETENTION": "60"]
        #expect(try line(both) == start + ", history of 60 s")
    }

    @Test func `SO-167: the report names the limits of histories, which bound those in Redis too`() throws {
        let environment = [
            "LIFELINE_PUBNUB_SECRET": "x", "LIFELINE_PUBNUB_HISTORY_MESSAGES": "1000", "LIFELINE_PUBNUB_HISTORY_BYTES": "5000",
            "LIFELINE_NEXCONN_HISTORY_MESSAGES": "7",
        ]
        let settings = try ServeSettings(command: ServeCommand.parse([]), environment: environment)
        let lines = ServeReport(settings: settings).lines
        #expect(lines.contains { $0.hasPrefix("pubnub") && $0.hasSuffix(", history of 1000 messages, history of 5000 bytes") })
        #expect(lines.contains { $0.hasPrefix("chat") && $0.contains(", history of 7 messages") })
        #expect(ServeSection.pubnub.notice(settings) == nil && ServeSection.chat.notice(settings) == nil)
        let clustered = try ServeSettings(
            command: ServeCommand.parse([]), environment: environment.merging(["LIFELINE_REDIS": "redis://127.0.0.1"]) { $1 })
        let bounded = ServeReport(settings: clustered).lines.first { $0.hasPrefix("pubnub") }
        #expect(bounded == lines.first { $0.hasPrefix("pubnub") })
        #expect(ServeSection.pubnub.notice(clustered) == nil && ServeSection.chat.notice(clustered) == nil)
        let endless = try ServeSettings(
            command: ServeCommand.parse([]),
            environment: ["LIFELINE_PUBNUB_SECRET": "x", "LIFELINE_REDIS": "redis://127.0.0.1"])
        #expect(ServeSection.pubnub.notice(endless)?.text.contains("historyMessages") == true)
        for value in ["0", "-1", "x", "1.5"] {
            let failure = #expect(throws: CommandFailure.self) {
                try ServeSettings(
                    command: ServeCommand.parse([]), environment: ["LIFELINE_PUBNUB_HISTORY_MESSAGES": value])
            }
            #expect(failure?.message.contains("LIFELINE_PUBNUB_HISTORY_MESSAGES") == true)
        }
        #expect(throws: CommandFailure.self) {
            try ServeSettings(command: ServeCommand.parse(["--nexconn-history-retention", "604799"]), environment: [:])
        }
    }

    @Test("A development secret is public as the previous one, too (SO-64)")
    func publicPreviousSecret() async throws {
        for (service, arguments) in [
            ("pusher", ["--secret", "a", "--previous-secret", "app-secret"]),
            ("pubnub", ["--pubnub-secret", "b", "--pubnub-previous-secret", "demo-secret"]),
            ("chat", ["--nexconn-secret", "c", "--nexconn-previous-secret", "app-secret"]),
        ] {
            let settings = try ServeSettings(
                command: ServeCommand.parse(["--host", "::", "--services", service] + arguments), environment: [:])
            #expect(settings.openServices == [service])
            #expect(throws: CommandFailure.self) { try settings.refusePublicSecrets() }
        }
    }
}
