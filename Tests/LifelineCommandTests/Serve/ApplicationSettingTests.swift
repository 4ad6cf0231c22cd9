import ServerStorage
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("Applications from the configuration (rules SO-1 to SO-4)")
struct ApplicationSettingTests {
    private func applications(
        _ file: String = "{}", _ environment: [String: String] = [:], _ arguments: [String] = []
    ) throws -> [Application] {
        let file = SettingsFile(try JSONText(file))
        if let failure = file.failure { throw failure }
        return try ServeSettings.applications(ServeCommand.parse(arguments).options, environment: environment, file: file)
    }

    /// What is said about settings that cannot be; all of it is wrong usage.
    private func failure(
        _ file: String = "{}", _ environment: [String: String] = [:], _ arguments: [String] = []
    ) throws -> String {
        let failure = #expect(throws: CommandFailure.self) { try applications(file, environment, arguments) }
        #expect(failure?.kind == .usage)
        return failure?.message ?? ""
    }

    @Test("Without settings it is the development application")
    func development() throws {
        #expect(try applications() == [.development])
    }

    @Test("Every field of an application in a file arrives")
    func everyField() throws {
        let file = """
            {"apps": [{
              "id": "7", "key": "k", "secret": "s", "previousSecret": "p", "enabled": false, "clientEvents": true, "subscriptionCounts": true,
              "userAuthentication": false, "requireTLS": true, "allowedOrigins": ["https://a.example", "*.b.example"],
              "authorizationTimeout": 30,
              "webhooks": [
                {"url": "https://a.example/hook", "events": ["channel_occupied", "member_added"], "channelPrefix": "private-",
                 "channelSuffix": "-x", "batches": true, "headers": {"Authorization": "Bearer t"}},
                "http://b.example"],
              "limits": {
                "connections": 1, "clientEventsPerSecond": 2, "publishesPerSecond": 3, "queriesPerSecond": 4, "watchlistUsers": 5,
                "presenceMembers": 6, "presenceMemberBytes": 7, "userIDBytes": 8, "channelNameBytes": 9, "eventNameBytes": 10,
                "eventDataBytes": 11, "channelsPerPublish": 12, "eventsPerBatch": 13, "channelsPerConnection": 14,
                "cacheLifetime": 15, "channels": 16, "subscriptions": 17, "cacheBytes": 18, "addressShare": 22},
              "recovery": {"messages": 19, "seconds": 20, "bytes": 21, "clientEvents": true}}]}
            """
        let expected = Application(
            id: "7", key: "k", secret: "s", previousSecret: "p", isEnabled: false, allowsClientEvents: true,
            announcesSubscriptionCounts: true,
            allowsUserAuthentication: false, requiresTLS: true, allowedOrigins: ["https://a.example", "*.b.example"],
            authorizationTimeout: .seconds(30),
            webhooks: [
                Webhook(
                    url: "https://a.example/hook", events: [.channelOccupied, .memberAdded], channelPrefix: "private-",
                    channelSuffix: "-x", batches: true, headers: ["Authorization": "Bearer t"]),
                Webhook(url: "http://b.example"),
            ],
            limits: ApplicationLimits(
                connections: 1, clientEventsPerSecond: 2, publishesPerSecond: 3, queriesPerSecond: 4, watchlistUsers: 5,
                presenceMembers: 6, presenceMemberBytes: 7, userIDBytes: 8, channelNameBytes: 9, eventNameBytes: 10,
                eventDataBytes: 11, channelsPerPublish: 12, eventsPerBatch: 13, channelsPerConnection: 14,
                cacheLifetime: .seconds(15), channels: 16, subscriptions: 17, cacheBytes: 18, addressShare: 22),
            recovery: RecoverySettings(messages: 19, lifetime: .seconds(20), bytes: 21, includesClientEvents: true))
        #expect(try applications(file) == [expected])
        #expect(try applications("{}", ["LIFELINE_APPS": JSONText(file)["apps"]?.text ?? ""]) == [expected])
    }

    @Test("Several applications have the library's defaults and say who they are")
    func severalDefaults() throws {
        let file = #"{"apps": [{"id": "1", "key": "a", "secret": "x"}, {"id": "2", "key": "b", "secret": "x"}]}"#
        #expect(try applications(file) == [.init(id: "1", key: "a", secret: "x"), .init(id: "2", key: "b", secret: "x")])
        for name in ["id", "key", "secret"] {
            var fields = ["id": "1", "key": "k", "secret": "s"]
            fields[name] = nil
            let object = fields.map { #""\#($0)": "\#($1)""# }.joined(separator: ",")
            #expect(try failure(#"{"apps": [{\#(object)}]}"#) == "The setting apps[0].\(name) (line 1) is missing.")
        }
        #expect(try applications(#"{"apps": []}"#).isEmpty)
    }

    @Test("One application: options before variables, variables before the file, and the rest from the development application")
    func precedence() throws {
        let file = #"{"app": {"id": "7", "key": "file", "secret": "file", "limits": {"connections": 5, "presenceMembers": 9}}}"#
        let environment = [
            "LIFELINE_APP_KEY": "variable", "LIFELINE_APP_SECRET": "variable", "LIFELINE_APP_LIMITS_CONNECTIONS": "6",
            "LIFELINE_APP_ALLOWED_ORIGINS": "https://a.example, b.example", "LIFELINE_APP_REQUIRE_TLS": "true",
            "LIFELINE_APP_WEBHOOKS": #"[{"url": "https://a.example", "events": ["cache_miss"]}]"#,
        ]
        var expected = Application.development
        expected.id = "7"
        expected.key = "variable"
        expected.secret = "option"
        expected.requiresTLS = true
        expected.allowedOrigins = ["https://a.example", "b.example"]
        expected.webhooks = [Webhook(url: "https://a.example", events: [.cacheMiss])]
        expected.limits.connections = 6
        expected.limits.presenceMembers = 9
        expected.allowsClientEvents = false
        #expect(try applications(file, environment, ["--secret", "option", "--no-client-events"]) == [expected])
        expected.allowedOrigins = ["https://c.example", "d.example"]
        expected.webhooks = [Webhook(url: "https://x.example"), Webhook(url: "http://y.example/z")]
        let arguments = [
            "--secret", "option", "--no-client-events", "--allowed-origin", "https://c.example", "--allowed-origin", "d.example",
            "--webhook", "https://x.example", "--webhook", "http://y.example/z",
        ]
        #expect(try applications(file, environment, arguments) == [expected])
    }

    @Test("An empty variable takes a limit away, and null does in a file")
    func noLimit() throws {
        let file = #"{"app": {"limits": {"connections": 5, "publishesPerSecond": 1}, "authorizationTimeout": 9}}"#
        let application = try applications(
            file, ["LIFELINE_APP_LIMITS_CONNECTIONS": "", "LIFELINE_APP_AUTHORIZATION_TIMEOUT": ""])
        #expect(application.first?.limits.connections == nil)
        #expect(application.first?.authorizationTimeout == nil)
        #expect(try applications(#"{"app": {"limits": {"connections": null}}}"#).first?.limits.connections == nil)
    }

    @Test("Where null takes nothing away, it is the same as leaving the field out")
    func null() throws {
        let names = ApplicationSetting.fields.all.filter { !$0.takesNull && !$0.name.contains(".") }.map(\.name) + ["limits"]
        let object = names.map { #""\#($0)": null"# }.joined(separator: ",")
        #expect(try applications("{\"app\": {\(object)}}") == [.development])
        #expect(try applications(#"{"app": {"limits": {"presenceMembers": null}}}"#) == [.development])
        let webhook = #"{"url": "http://a", "events": null, "channelPrefix": null, "batches": null, "headers": null}"#
        #expect(try applications("{\"app\": {\"webhooks\": [\(webhook)]}}").first?.webhooks == [Webhook(url: "http://a")])
        #expect(
            try failure(#"{"apps": [{"id": "1", "key": "k", "secret": null}]}"#)
                == "The setting apps[0].secret (line 1) is missing.")
    }

    @Test("A list that got lost on the way is no reason for the development application")
    func emptyList() throws {
        for text in ["", "null"] { #expect(try failure("{}", ["LIFELINE_APPS": text]).contains("LIFELINE_APPS")) }
    }

    @Test("Truth in a variable is written as everywhere", arguments: [("TRUE", true), ("Yes", true), ("1", true), ("No", false)])
    func truth(text: String, expected: Bool) throws {
        #expect(try applications("{}", ["LIFELINE_APP_CLIENT_EVENTS": text]).first?.allowsClientEvents == expected)
    }

    @Test("A thousand applications are read, and the one that is there twice is found")
    func many() throws {
        let list = (0..<1000).map { #"{"id":"\#($0)","key":"k\#($0)","secret":"s"}"# }
        #expect(try applications("{\"apps\": [\(list.joined(separator: ","))]}").count == 1000)
        let doubled = (list + [#"{"id":"x","key":"k7","secret":"s"}"#]).joined(separator: ",")
        #expect(try failure("{\"apps\": [\(doubled)]}").hasPrefix("apps[1000] (line 1) has the same key as apps[7]."))
    }

    @Test("Two applications with one id or one key are refused, and which they are is said (SO-3)")
    func duplicates() throws {
        let first = #"{"id": "1", "key": "a", "secret": "hidden-one"}"#
        #expect(
            try failure(#"{"apps": [\#(first), {"id": "2", "key": "b", "secret": "s"}, {"id": "1", "key": "c", "secret": "s"}]}"#)
                == "apps[2] (line 1) has the same id as apps[0]. Every application needs its own.")
        #expect(
            try failure(#"{"apps": [\#(first), {"id": "2", "key": "a", "secret": "s"}]}"#)
                == "apps[1] (line 1) has the same key as apps[0]. Every application needs its own.")
    }

    @Test("One and several at once are refused, wherever they come from")
    func oneAndSeveral() throws {
        let one = #"{"id": "1", "key": "a", "secret": "s"}"#
        #expect(try failure(#"{"app": \#(one), "apps": [\#(one)]}"#).contains("app (line 1) and apps exclude each other"))
        #expect(try failure(#"{"apps": [\#(one)]}"#, ["LIFELINE_APP_KEY": "b"]).contains("LIFELINE_APP_KEY"))
        #expect(try failure(#"{"apps": [\#(one)]}"#, [:], ["--key", "b"]).contains("--key"))
        #expect(try failure(#"{"apps": [\#(one)]}"#, [:], ["--webhook", "https://a.example"]).contains("--webhook"))
        #expect(
            try failure(#"{"app": \#(one)}"#, ["LIFELINE_APPS": "[\(one)]"]).contains("app (line 1) is for a single application"))
        // The variable replaces the file's list.
        #expect(
            try applications(#"{"apps": [\#(one)]}"#, ["LIFELINE_APPS": #"[{"id": "2", "key": "b", "secret": "s"}]"#]).map(\.id)
                == ["2"])
    }

    @Test(
        "What cannot be is named with its place and its value, unless that may be a secret (SO-2, SO-4, SO-91)",
        arguments: [
            (#"{"app": {"clientEvent": true}}"#, "no setting app.clientEvent (line 1)."),
            (
                #"{"app": {"limits": {"conections": 1}}}"#,
                "no setting app.limits.conections (line 1). Did you mean connections?"
            ),
            (
                #"{"app": {"webhooks": [{"url": "https://a.example", "event": []}]}}"#,
                "no setting app.webhooks[0].event (line 1)."
            ),
            (#"{"app": {"key": "a", "key": "b"}}"#, "app.key (line 1) is written twice"),
            (#"{"app": {"clientEvents": "maybe"}}"#, #"app.clientEvents (line 1) is "maybe"; it must be true or false."#),
            (#"{"app": {"secret": 271828}}"#, "app.secret (line 1) must be a non-empty string"),
            (#"{"app": {"secret": ""}}"#, "app.secret (line 1) is empty; it must be a non-empty string"),
            (#"{"app": {"id": "a value/"}}"#, #"app.id (line 1) is "a value/"; it must be"#),
            (#"{"app": {"key": "a:value"}}"#, #"app.key (line 1) is "a:value"; it must be"#),
            (
                #"{"app": {"limits": {"presenceMembers": -1}}}"#,
                "app.limits.presenceMembers (line 1) is -1; it must be an integer from 0"
            ),
            (
                #"{"app": {"limits": {"presenceMembers": "314"}}}"#,
                #"app.limits.presenceMembers (line 1) is "314"; it must be an integer"#
            ),
            (
                #"{"app": {"limits": {"presenceMembers": 1.5}}}"#,
                "app.limits.presenceMembers (line 1) is 1.5; it must be an integer"
            ),
            (#"{"app": {"limits": 314}}"#, "app.limits (line 1) is 314; it must be an object"),
            (
                #"{"app": {"authorizationTimeout": 0}}"#,
                "app.authorizationTimeout (line 1) is 0; it must be an integer from 1 to 86400, in seconds"
            ),
            (#"{"app": {"allowedOrigins": "all"}}"#, #"app.allowedOrigins (line 1) is "all"; it must be a list"#),
            (
                #"{"app": {"allowedOrigins": ["https://a.example/path"]}}"#,
                "app.allowedOrigins (line 1) must be a list of origins"
            ),
            (#"{"app": {"webhooks": [{"events": ["cache_miss"]}]}}"#, "app.webhooks[0].url (line 1) is missing"),
            (#"{"app": {"webhooks": ["hidden-value"]}}"#, "app.webhooks[0] (line 1) must be an address"),
            (#"{"app": {"webhooks": [{"url": "ftp://hidden-value"}]}}"#, "app.webhooks[0].url (line 1) must be an address"),
            (#"{"app": {"webhooks": [{"url": "https://a.example", "events": ["hidden-value"]}]}}"#, "channel_occupied"),
            (
                #"{"app": {"webhooks": [{"url": "https://a.example", "headers": {"X": "hidden-value\r\nY: z"}}]}}"#,
                "without line breaks"
            ),
            (#"{"app": {"webhooks": [{"url": "http://a", "headers": {"content-Length": "3"}}]}}"#, "the server writes itself"),
            (#"{"app": {"webhooks": [{"url": "http://a", "headers": {"X-Pusher-Key": "a"}}]}}"#, "X-Pusher-Key"),
            (#"{"app": {"webhooks": [{"url": "http://a", "headers": {"A": "1", "a": "2"}}]}}"#, "there twice"),
            (#"{"app": []}"#, "app (line 1) is a list; it must be an object"),
            (#"{"apps": {}}"#, "apps (line 1) is an object; it must be a list"),
            (#"{"apps": [1]}"#, "apps[0] (line 1) is 1; it must be an object"),
            (#"{"prot": 1}"#, "no setting prot (line 1). Did you mean port?"),
            (#"{"listen": 1}"#, "no setting listen (line 1). The settings are app, apps, "),
            (#"{"tls": {"certificate": "a"}}"#, "no setting tls.certificate (line 1)."),
            (#"{"tls": "a"}"#, "tls (line 1) is a text; it must be an object"),
            (#"[]"#, "must be a JSON object"),
        ])
    func wrong(file: String, expected: String) throws {
        let message = try failure(file)
        #expect(message.contains(expected))
        #expect(!message.contains("hidden") && !message.contains("271828"))
    }

    @Test(
        "SO-170: Where an object or a list is expected, only the kind of a text is shown",
        arguments: [
            (#"{"id": "1", "key": "k", "secret": "hidden"}"#, "LIFELINE_APPS is an object; it must be a list."),
            (#"[{"id": "1", "key": "k", "secret": "s"}, "hidden"]"#, "LIFELINE_APPS[1] is a text; it must be an object."),
            (#""hidden""#, "LIFELINE_APPS is a text; it must be a list."),
        ])
    func kindOfParts(value: String, expected: String) throws {
        #expect(try failure("{}", ["LIFELINE_APPS": value]) == expected)
        #expect(
            try failure(#"{"app": "hidden"}"#) == "app (line 1) is a text; it must be an object.")
    }

    @Test("Errors in a variable name the variable")
    func wrongVariable() throws {
        #expect(
            try failure("{}", ["LIFELINE_APP_CLIENT_EVENTS": "maybe"])
                == #"LIFELINE_APP_CLIENT_EVENTS is "maybe"; it must be true or false."#)
        #expect(try failure("{}", ["LIFELINE_APPS": "[{]"]) == "LIFELINE_APPS must be JSON.")
        #expect(try failure("{}", ["LIFELINE_APPS": #"[{"id": 1}]"#]).hasPrefix("LIFELINE_APPS[0].id is 1; it must be"))
    }
}
