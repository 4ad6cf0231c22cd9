import Foundation
import LifelineServer
import ServerConsole
import Testing

@testable import LifelineCommand

@Suite("Settings of the whole server (rules SO-1, SO-2, SO-5)")
struct ServerSettingTests {
    private static let everything = """
        {"host": "0.0.0.0", "port": 7001, "pathPrefix": "/realtime/", "trustProxyHeaders": true,
         "corsOrigins": ["https://a.example", "https://b.example"], "threads": 3, "activityTimeout": 11, "pongTimeout": 12,
         "requestTimeout": 13, "keepAliveTimeout": 14, "messageTimeout": 15, "closeTimeout": 16, "drainTimeout": 17,
         "chatHeartbeat": 18, "pollQueueLength": 19, "maxConnections": 20, "maxMessageBytes": 2100, "maxRequestBytes": 2200,
         "maxPendingBytes": 23000, "maxQueuedBytes": 66000, "publishTimeout": 26, "drainCode": 4205, "reusePort": true,
         "maxConnectionsPerAddress": 27, "connectionRatePerAddress": 28, "limitLoopback": true, "allowPublicSecrets": true, "data": "/d", "dataFiles": "/f", "dataPasswordFile": "/p", "dataPool": 29, "bridge": true, "logLevel": "info", "logFormat": "json",
         "tracesEndpoint": "http://127.0.0.1:4318/",
         "bridgeIgnoresAccessManager": true,
         "adminPort": 7002, "adminHost": "[::1]", "adminNames": ["A.example", "b.example"], "adminTrustProxy": ["10.0.0.0/8", "::1"], "publicMetrics": true,
         "adminPassword": "admin of this test", "adminReadOnlyPassword": "reader of this test",
         "maxApplications": 30, "applicationsKey": "a key of 32 bytes or more of this test",
         "tls": {"cert": "c", "key": "k", "checkInterval": 24}, "pubnub": {"pollHold": 25}, "nexconn": {"presence": false}}
        """

    private func check(_ settings: ServeSettings) {
        #expect(
            settings.admin
                == AdminSettings(
                    host: "::1", port: 7002, names: ["a.example", "b.example"],
                    proxies: ["10.0.0.0/8", "::1"].compactMap(ProxyNetwork.init), password: "admin of this test",
                    readOnlyPassword: "reader of this test", tellsPublicMetrics: true))
        #expect(settings.tracesEndpoint == "http://127.0.0.1:4318/v1/traces")
        #expect(settings.dataParts == DataParts(passwordFile: "/p", files: "/f", pool: 29))
        #expect(settings.host == "0.0.0.0" && settings.port == 7001 && settings.data == "/d" && settings.isBridged)
        #expect(settings.tls == .init(certificateFile: "c", privateKeyFile: "k", checkInterval: .seconds(24)))
        #expect(
            settings.keysets.first?.pollHold == .seconds(25) && settings.chatApplications.first?.hasPresence == false
                && settings.logLevel == .info && settings.logFormat == .json)
        #expect(settings.server.pathPrefix == "/realtime" && settings.server.trustsProxyHeaders)
        #expect(settings.server.corsOrigins == ["https://a.example", "https://b.example"] && settings.server.threads == 3)
        let durations = [
            settings.server.pongTimeout, settings.server.requestTimeout, settings.server.keepAliveTimeout,
            settings.server.messageTimeout, settings.server.closeTimeout, settings.server.drainTimeout,
            settings.server.chatHeartbeat, settings.server.publishTimeout,
        ]
        #expect(durations == [12, 13, 14, 15, 16, 17, 18, 26].map { .seconds($0) })
        #expect(settings.activityTimeout == 11 && settings.server.pollQueueLength == 19)
        #expect(settings.server.maximumConnections == 20 && settings.server.maximumMessageBytes == 2100)
        #expect(settings.server.maximumRequestBytes == 2200 && settings.server.maximumPendingBytes == 23000)
        #expect(settings.server.maximumQueuedBytes == 66_000)
        #expect(settings.server.maximumConnectionsPerAddress == 27 && settings.server.connectionRatePerAddress == 28)
        #expect(settings.server.limitsLoopback)
        #expect(settings.server.drainCode == 4205 && settings.server.reusesPort && settings.allowsPublicSecrets)
    }

    @Test("Every setting of a file arrives")
    func file() async throws {
        check(try await readSettings(file: Self.everything))
    }

    @Test("Every setting can be a variable, which counts more than the file")
    func variables() async throws {
        let environment = [
            "HOST": "0.0.0.0", "PORT": "7001", "TRACES_ENDPOINT": "http://127.0.0.1:4318", "PATH_PREFIX": "/realtime",
            "TRUST_PROXY_HEADERS": "true",
            "CORS_ORIGINS": "https://a.example, https://b.example", "THREADS": "3", "ACTIVITY_TIMEOUT": "11",
            "PONG_TIMEOUT": "12",
            "REQUEST_TIMEOUT": "13", "KEEP_ALIVE_TIMEOUT": "14", "MESSAGE_TIMEOUT": "15", "CLOSE_TIMEOUT": "16",
            "DRAIN_TIMEOUT": "17", "CHAT_HEARTBEAT": "18", "POLL_QUEUE_LENGTH": "19", "MAX_CONNECTIONS": "20",
            "MAX_MESSAGE_BYTES": "2100", "MAX_REQUEST_BYTES": "2200", "MAX_PENDING_BYTES": "23000", "DATA": "/d",
            "DATA_FILES": "/f", "DATA_PASSWORD_FILE": "/p", "DATA_POOL": "29",
            "MAX_QUEUED_BYTES": "66000", "PUBLISH_TIMEOUT": "26", "DRAIN_CODE": "4205", "REUSE_PORT": "true",
            "MAX_CONNECTIONS_PER_ADDRESS": "27",
            "CONNECTION_RATE_PER_ADDRESS": "28", "LIMIT_LOOPBACK": "true",
            "ALLOW_PUBLIC_SECRETS": "true",
            "BRIDGE": "true",
            "ADMIN_PORT": "7002", "ADMIN_HOST": "::1", "ADMIN_NAMES": "a.example, b.example",
            "ADMIN_TRUST_PROXY": "10.0.0.0/8, ::1",
            "PUBLIC_METRICS": "true",
            "ADMIN_PASSWORD": "admin of this test", "ADMIN_READ_ONLY_PASSWORD": "reader of this test",
            "LOG_LEVEL": "info", "LOG_FORMAT": "json", "TLS_CERT": "c", "TLS_KEY": "k", "TLS_CHECK_INTERVAL": "24",
            "PUBNUB_POLL_HOLD": "25",
            "NEXCONN_PRESENCE": "false",
        ]
        let named = Dictionary(uniqueKeysWithValues: environment.map { ("LIFELINE_\($0)", $1) })
        let settings = try await readSettings(environment: named, file: #"{"host": "::", "port": 1, "maxConnections": 5}"#)
        check(settings)
        #expect(settings.strayVariables.isEmpty)
    }

    @Test("Options count more than both")
    func options() async throws {
        let settings = try await readSettings(
            [
                "--path-prefix", "/x", "--no-trust-proxy-headers", "--cors-origin", "http://a", "--cors-origin", "http://b",
                "--max-connections", "9", "--threads", "2",
                "--max-connections-per-address", "7", "--connection-rate-per-address", "0", "--no-limit-loopback",
                "--no-reuse-port",
            ],
            environment: ["LIFELINE_MAX_CONNECTIONS": "8"], file: Self.everything)
        #expect(settings.server.pathPrefix == "/x" && !settings.server.trustsProxyHeaders)
        #expect(settings.server.corsOrigins == ["http://a", "http://b"])
        #expect(settings.server.maximumConnections == 9 && settings.server.threads == 2)
        #expect(settings.server.maximumConnectionsPerAddress == 7 && settings.server.connectionRatePerAddress == 0)
        #expect(!settings.server.limitsLoopback)
        #expect(!settings.server.reusesPort)
    }

    @Test("Without any it is the library's configuration, but for the time that a drain may take")
    func defaults() async throws {
        let settings = try await readSettings()
        let defaults = ServerConfiguration()
        #expect(settings.server.maximumConnections == defaults.maximumConnections && settings.server.pathPrefix.isEmpty)
        #expect(settings.server.corsOrigins == defaults.corsOrigins && !settings.server.trustsProxyHeaders)
        #expect(settings.server.drainTimeout == ServeSettings.drainTimeout)
        #expect(settings.tls == nil)
    }

    @Test(
        "What cannot be is wrong usage and named",
        arguments: [
            (#"{"port": "80"}"#, "port"), (#"{"port": 80.5}"#, "port"), (#"{"port": 70000}"#, "port"),
            (#"{"pathPrefix": "realtime"}"#, "pathPrefix"), (#"{"pathPrefix": "/a//b"}"#, "pathPrefix"),
            (#"{"pathPrefix": "/a/../b"}"#, "pathPrefix"), (#"{"pathPrefix": "/a?b"}"#, "pathPrefix"),
            (#"{"trustProxyHeaders": 1}"#, "trustProxyHeaders"), (#"{"threads": 0}"#, "threads"),
            (#"{"maxConnections": -1}"#, "maxConnections"), (#"{"maxPendingBytes": 1}"#, "maxPendingBytes"),
            (#"{"maxConnectionsPerAddress": -1}"#, "maxConnectionsPerAddress"), (#"{"limitLoopback": 1}"#, "limitLoopback"),
            (#"{"connectionRatePerAddress": 1000001}"#, "connectionRatePerAddress"),
            (#"{"corsOrigins": "*"}"#, "corsOrigins"), (#"{"drainTimeout": 99999}"#, "drainTimeout"),
            (#"{"drainTimeout": 3600.001}"#, "drainTimeout"), (#"{"drainTimeout": -0.5}"#, "drainTimeout"),
            (#"{"drainTimeout": 1e999}"#, "drainTimeout"), (#"{"drainTimeout": "4.5"}"#, "drainTimeout"),
            (#"{"closeTimeout": 4.5}"#, "closeTimeout"),
            (#"{"drainCode": 4000}"#, "drainCode"), (#"{"reusePort": 1}"#, "reusePort"),
            (#"{"tls": {"cert": "c"}}"#, "--tls-key"), (#"{"logFormat": "xml"}"#, "logFormat"),
            (#"{"pubnub": {"pollHold": 999}}"#, "poll"),
            (#"{"pubnub": {"pollHolt": 9}}"#, "pubnub.pollHolt"), (#"{"host": {}}"#, "host"), ("{", "JSON"),
            (#"{"host": ""}"#, "host"), (#"{"host": "127.0.0.1:80"}"#, "host"), (#"{"host": "http://a"}"#, "host"),
            (#"{"host": "[a]"}"#, "host"), (#"{"corsOrigins": ["https://a.example/path"]}"#, "corsOrigins"),
            (#"{"corsOrigins": ["a.example"]}"#, "corsOrigins"), (#"{"corsOrigins": ["https://*.a.example"]}"#, "corsOrigins"),
            (#"{"services": []}"#, "services"), (#"{"services": ["redis"]}"#, "services"),
            (#"{"bridge": true, "pubnub": {"accessManager": true}}"#, "bridgeIgnoresAccessManager"),
            (#"{"services": ["pusher"], "bridge": true}"#, "bridge"), (#"{"data": ""}"#, "data"),
            (#"{"tls": {"cert": "", "key": ""}}"#, "tls.cert"), (#"{"pubnub": {"secret": ""}}"#, "pubnub.secret"),
        ])
    func wrong(file: String, expected: String) async throws {
        let failure = await #expect(throws: CommandFailure.self) { _ = try await readSettings(file: file) }
        #expect(failure?.kind == .usage)
        #expect(failure?.message.contains(expected) == true)
    }

    @Test("A file that is not there is told as such")
    func missing() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await readSettings(["--config", "/nowhere/lifeline.json"])
        }
        #expect(failure?.message.contains("/nowhere/lifeline.json does not exist") == true)
        #expect(failure?.kind == .usage)
        let folder = await #expect(throws: CommandFailure.self) { _ = try await readSettings(["--config", "/"]) }
        #expect(folder?.message.contains("is a directory") == true)
        let variable = await #expect(throws: CommandFailure.self) {
            _ = try await readSettings(environment: ["LIFELINE_CONFIG": "/nowhere/other.json"])
        }
        #expect(variable?.message.contains("/nowhere/other.json") == true)
        for arguments in [["--config", ""], ["--services", ""], ["--data", ""]] {
            await #expect(throws: CommandFailure.self) { _ = try await readSettings(arguments) }
        }
    }

    @Test("Null is the same as leaving a section out")
    func null() async throws {
        let settings = try await readSettings(
            file: #"{"tls": null, "pubnub": null, "nexconn": null, "app": null, "apps": null, "port": null}"#)
        #expect(settings.tls == nil && settings.port == 6001 && settings.applications == [.development])
        #expect(settings.keysets == [.development] && settings.chatApplications == [.development])
    }

    @Test("An address may have the brackets of URLs; origins become what browsers write")
    func spelling() async throws {
        #expect(try await readSettings(["--host", "[::1]"]).host == "::1")
        for host in ["::", "0.0.0.0", "localhost", "fe80::1%eth0"] {
            #expect(try await readSettings(["--host", host]).host == host)
        }
        let origins = ["https://A.example:443/", "http://a.example:80", "http://a.example:8080", "null", "*"]
        #expect(
            try await readSettings(origins.flatMap { ["--cors-origin", $0] }).server.corsOrigins
                == ["https://a.example", "http://a.example", "http://a.example:8080", "null", "*"])
    }

    @Test("A bridge beside the access manager has to be allowed by a setting of its own (BR-20)")
    func bridgeBesideAccessManager() async throws {
        let both = ["--bridge", "--pubnub-access-manager"]
        let failure = await #expect(throws: CommandFailure.self) { _ = try await readSettings(both) }
        #expect(failure?.kind == .usage && failure?.message.contains("grants") == true)
        for (arguments, environment) in [
            (both + ["--bridge-ignores-access-manager"], [:]), (both, ["LIFELINE_BRIDGE_IGNORES_ACCESS_MANAGER": "true"]),
        ] {
            let settings = try await readSettings(arguments, environment: environment)
            let configuration = settings.configuration(
                registry: ReloadableApplicationRegistry([]), logger: ServerConfiguration().logger)
            #expect(configuration.bridge?.ignoresAccessManager == true)
        }
        #expect(try await readSettings(["--bridge", "--pubnub-access-manager", "--services", "pusher,nexconn"]).isBridged)
    }

    @Test("Services that are not named do not run, and do not count as open to everybody (SO-6)")
    func services() async throws {
        let registry = ReloadableApplicationRegistry([])
        let logger = ServerConfiguration().logger
        for (arguments, environment) in [
            (["--services", "pusher"], [:]), ([], ["LIFELINE_SERVICES": "pusher"]),
            (["--services", "pusher"], ["LIFELINE_SERVICES": "nexconn"]),
        ] {
            let settings = try await readSettings(arguments + ["--host", "0.0.0.0"], environment: environment)
            let configuration = settings.configuration(registry: registry, logger: logger)
            #expect(configuration.keysets.isEmpty && configuration.chatApplications.isEmpty)
            #expect(settings.applications(for: settings.services) == [.development])
            #expect(settings.openServices == ["pusher"])
        }
        let others = try await readSettings(file: #"{"services": ["nexconn", "pubnub"], "bridge": true}"#)
        let configuration = others.configuration(registry: registry, logger: logger)
        #expect(others.applications(for: others.services).isEmpty)
        #expect(configuration.bridge == Bridge(applicationID: nil))
        #expect(configuration.keysets == [.development] && configuration.chatApplications == [.development])
        let lines = ServeReport(settings: others).lines
        #expect(lines.contains("pusher: off") && !lines.contains { $0.hasPrefix("app ") })
    }

    @Test("Public credentials are told where others can reach them, also behind a proxy")
    func openServices() async throws {
        #expect(try await readSettings().openServices.isEmpty)
        #expect(try await readSettings(["--host", "127.0.0.2"]).openServices.isEmpty)
        for arguments in [["--host", "::"], ["--trust-proxy-headers"], ["--path-prefix", "/x"]] {
            #expect(try await readSettings(arguments).openServices == ["pusher", "pubnub", "chat"])
        }
        let own = ["--host", "::", "--secret", "a", "--pubnub-secret", "b", "--nexconn-secret", "c"]
        #expect(try await readSettings(own).openServices.isEmpty)
    }

    @Test("Public secrets on a public address are refused, unless that is said (SO-64)")
    func publicSecrets() async throws {
        for arguments in [
            ["--host", "0.0.0.0"], ["--host", "::", "--secret", "a"], ["--host", "10.0.0.1", "--services", "pubnub"],
        ] {
            let refused = try await readSettings(arguments)
            let failure = #expect(throws: CommandFailure.self) { try refused.refusePublicSecrets() }
            #expect(failure?.kind == .usage && failure?.message.contains("--allow-public-secrets") == true)
            #expect(failure?.message.contains(arguments.contains("a") ? "--nexconn-secret" : "secret") == true)
            try await readSettings(arguments + ["--allow-public-secrets"]).refusePublicSecrets()
        }
        let named = try await readSettings(["--host", "::", "--secret", "a"])
        let failure = #expect(throws: CommandFailure.self) { try named.refusePublicSecrets() }
        #expect(failure?.message.contains("--secret (LIFELINE_APP_SECRET)") == false)
        try await readSettings(["--host", "0.0.0.0", "--secret", "a", "--services", "pusher"]).refusePublicSecrets()
        try await readSettings(["--host", "127.0.0.1", "--path-prefix", "/x"]).refusePublicSecrets()
    }

    @Test("Variables that look like settings are noticed")
    func stray() async throws {
        let settings = try await readSettings(environment: ["LIFELINE_APP_KYE": "x", "LIFELINE_PORT": "1", "PATH": "/bin"])
        #expect(settings.strayVariables.map(\.name) == ["LIFELINE_APP_KYE"])
        #expect(ServeReport(settings: settings).lines.contains("warning: \(settings.strayVariables[0].text)"))
    }

    @Test(
        "A misspelt variable is told with the setting that was probably meant (SO-2)",
        arguments: [
            ("LIFELINE_APP_KYE", "LIFELINE_APP_KEY"), ("LIFELINE_PROT", "LIFELINE_PORT"),
            ("LIFELINE_APP_LIMITS_CONECTIONS", "LIFELINE_APP_LIMITS_CONNECTIONS"),
            ("LIFELINE_ADMINPASSWORD", "LIFELINE_ADMIN_PASSWORD"),
            ("LIFELINE_TRUST_PROXY_HEADER", "LIFELINE_TRUST_PROXY_HEADERS"),
            ("LIFELINE_X", nil), ("LIFELINE_SOMETHING_OF_ANOTHER_PROGRAM", nil),
            ("LIFELINE_" + String(repeating: "P", count: 5_000), nil),
        ] as [(String, String?)])
    func nearest(_ name: String, _ expected: String?) {
        let variable = StrayVariable(name: name)
        #expect(variable.nearest == expected)
        #expect(variable.text.hasSuffix(expected.map { "is not a setting; did you mean \($0)?" } ?? "is not a setting"))
    }

    @Test("No file is read beyond its bound, a device that never ends included (SO-99)")
    func endless() throws {
        let failure = #expect(throws: CommandFailure.self) { try SettingsFile(path: "/dev/zero") }
        #expect(failure?.messages.joined().contains("/dev/zero has more than 16777216 bytes") == true)
        #expect(throws: FileContent.Failure.self) { try FileContent.read("/dev/zero", limit: 4_096) }
        #expect(throws: CertificateError.malformed(.certificate)) {
            try ServerConfiguration.TLS(certificateFile: "/dev/zero", privateKeyFile: "/dev/zero").check()
        }
    }

    @Test("Secrets in files that everybody may read are warned of, and the warning names no secret (SO-100)")
    func exposed() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (text, mode, isExposed) in [
            (#"{"app": {"secret": "hidden"}}"#, 0o644, true), (#"{"app": {"secret": "hidden"}}"#, 0o640, false),
            (#"{"adminPort": 7000, "adminPassword": "hidden hidden"}"#, 0o604, true), (#"{"port": 7}"#, 0o644, false),
            (#"{"redis": "redis://:hidden@127.0.0.1"}"#, 0o644, true),
        ] {
            let path = folder + "/lifeline.json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let settings = try ServeSettings(command: ServeCommand.parse(["--config", path]), environment: [:])
            #expect(settings.exposedFiles.count == (isExposed ? 1 : 0), "\(text) \(mode)")
            let lines = ServeReport(settings: settings).lines.joined()
            #expect(lines.contains("chmod o-r") == isExposed && !lines.contains("hidden"))
        }
        for (mode, isExposed) in [(0o644, true), (0o600, false)] {
            let path = folder + "/key.pem"
            try Data().write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let settings = try ServeSettings(
                command: ServeCommand.parse(["--tls-cert", folder + "/none", "--tls-key", path]), environment: [:])
            #expect(settings.exposedFiles.count == (isExposed ? 1 : 0) && !settings.exposedFiles.joined().contains(folder))
        }
    }

    @Test(
        "SO-91: an address of traces with a user or a query is not shown",
        arguments: ["http://ann:cret@h:1", "http://h:1?key=cret", "ann@cret"])
    func tracesPassword(address: String) async {
        let failure = await #expect(throws: CommandFailure.self) { try await readSettings(["--traces-endpoint", address]) }
        #expect(
            failure?.message.hasPrefix("--traces-endpoint must be an address such as") == true
                && failure?.message.contains("cret") == false)
    }

    @Test("The report has no secrets (SO-4)")
    func report() async throws {
        let file = """
            {"host": "0.0.0.0", "apps": [{"id": "1", "key": "key-one", "secret": "hidden-1", "limits": {"connections": 5}},
                      {"id": "2", "key": "key-two", "secret": "hidden-2", "enabled": false, "webhooks": [
                        {"url": "https://user:hidden-3@a.example", "headers": {"A": "hidden-4"}}]}],
             "pubnub": {"secret": "hidden-5"}, "nexconn": {"secret": "hidden-6"}}
            """
        let text = ServeReport(settings: try await readSettings(environment: ["LIFELINE_X": "hidden-7"], file: file)).lines
            .joined(
                separator: "\n")
        #expect(text.contains("lifeline: valid http://0.0.0.0:6001"))
        #expect(text.contains("app 1: user authentication, at most 5 connections"))
        #expect(text.contains("app 2: disabled, user authentication, webhooks 1"))
        #expect(text.contains("LIFELINE_X is not a setting"))
        #expect(!text.contains("hidden"))
    }

    @Test("What needs a new start is told apart from what does not")
    func differences() async throws {
        let started = try await readSettings(file: #"{"app": {"key": "a"}}"#)
        #expect(
            try await readSettings(file: #"{"app": {"key": "b", "limits": {"connections": 1}}}"#).settingsForNewStart(
                since: started
            )
            .isEmpty)
        for (file, expected) in [
            (#"{"port": 1}"#, ["port"]), (#"{"pathPrefix": "/a"}"#, ["pathPrefix"]),
            (#"{"maxConnections": 1}"#, ["maxConnections"]),
            (#"{"pubnub": {"secret": "x", "pollHold": 1}}"#, []), (#"{"nexconn": {"secret": "x"}}"#, []),
            (#"{"nexconn": {"secret": "x"}, "services": ["nexconn"]}"#, ["services"]),
            (#"{"tls": {"cert": "c", "key": "k"}, "host": "::"}"#, ["host", "tls"]),
        ] {
            #expect(try await readSettings(file: file).settingsForNewStart(since: started) == expected)
        }
        let bridged = try await readSettings(file: #"{"bridge": true}"#)
        for other in [#""app": {"id": "7"}"#, #""pubnub": {"subscribeKey": "k"}"#, #""nexconn": {"key": "k"}"#] {
            #expect(
                try await readSettings(file: #"{"bridge": true, \#(other)}"#).settingsForNewStart(since: bridged) == ["bridge"])
        }
        // Whatever can be set has to be noticed: all but the applications of the services.
        let all = try await readSettings(file: Self.everything).settingsForNewStart(since: readSettings())
        // A Redis excludes some of the others.
        let shared = #"{"redis": "redis://h", "node": "a", "redisPrefix": "p", "partitions": 2}"#
        let redis = try await readSettings(file: shared).settingsForNewStart(since: readSettings())
        #expect(redis.sorted() == ["node", "partitions", "redis", "redisPrefix"])
        #expect(Set(all + redis) == Set(ServerSetting.scalars + ["tls"]).subtracting(["services", "logLevel"]))
        let password = #"{"redis": "redis://:x@h", "node": "a", "redisPrefix": "p", "partitions": 2}"#
        #expect(try await readSettings(file: password).settingsForNewStart(since: readSettings(file: shared)).isEmpty)
        let moved = #"{"redis": "redis://other", "node": "a", "redisPrefix": "p", "partitions": 2}"#
        #expect(try await readSettings(file: moved).settingsForNewStart(since: readSettings(file: shared)) == ["redis"])
    }

    @Test func `CR-53: several Redis are a list in the file, have spaces between them in the variable, and repeat the option`()
        async throws
    {
        let addresses = ["redis://:secret@h:1", "redis://i:2/3"]
        let list = addresses.map { "\"\($0)\"" }.joined(separator: ", ")
        let file = try await readSettings(file: #"{"partitions": 2, "redis": [\#(list)]}"#)
        let options = ["--partitions", "2"] + addresses.flatMap { ["--redis", $0] }
        let variables = ["LIFELINE_PARTITIONS": "2", "LIFELINE_REDIS": addresses.joined(separator: " ")]
        for settings in [file, try await readSettings(options), try await readSettings(environment: variables)] {
            #expect(settings.redis?.places == ["redis://h:1/0", "redis://i:2/3"] && settings.redis?.partitions == 2)
        }
        for wrong in [
            #"{"redis": [\#(list)]}"#, #"{"partitions": 2, "redis": []}"#, #"{"partitions": 17, "redis": "redis://h"}"#,
            #"{"partitions": 2, "redis": ["redis://h", "redis://:x@h"]}"#, #"{"partitions": 2}"#,
        ] {
            await #expect(throws: CommandFailure.self) { try await readSettings(file: wrong) }
        }
    }

    @Test(
        "An error names the source of the setting and its value (SO-91)",
        arguments: [
            (["--port", "abc"], [:], #"--port is "abc"; it must be an integer from 0 to 65535."#),
            ([], ["LIFELINE_PORT": "abc"], #"LIFELINE_PORT is "abc"; it must be an integer from 0 to 65535."#),
            ([], ["LIFELINE_PORT": ""], "LIFELINE_PORT is empty; it must be an integer from 0 to 65535."),
            (["--threads", "65"], [:], #"--threads is "65"; it must be an integer from 1 to 64."#),
            (["--nexconn-devices", "none"], [:], #"--nexconn-devices is "none"; it must be an integer from 1 to 100."#),
            ([], ["LIFELINE_BRIDGE": "maybe"], #"LIFELINE_BRIDGE is "maybe"; it must be true or false."#),
            ([], ["LIFELINE_APP_SECRET": ""], "LIFELINE_APP_SECRET is empty; it must be a non-empty string."),
            (["--log-level", "loud"], [:], #"--log-level is "loud"; it must be one of trace, debug, info"#),
            (["--services", "redis"], [:], #"--services is "redis"; it must be a list of services that run: pusher"#),
            (["--tls-cert", "c"], [:], "--tls-cert is alone. TLS needs the key, too: --tls-key"),
            (["--node", "a"], [:], "--node is for servers that share a Redis"),
            (["--cors-origin", "a.example"], [:], #"--cors-origin has "a.example"; it must be a list of origins"#),
        ] as [([String], [String: String], String)])
    func sources(arguments: [String], environment: [String: String], expected: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try ServeSettings(command: ServeCommand.parse(arguments), environment: environment)
        }
        #expect(failure?.message.hasPrefix(expected) == true, "\(failure?.message ?? "")")
    }

    @Test("Everything that is wrong is said at once, with the lines of the file (SO-90, SO-91)")
    func allAtOnce() throws {
        let file = try Scratch(
            """

            {
              "port": "abc",
              "prot": 1,
              "apps": [
                {"id": "1", "key": "a", "secret": "hidden"},
                {"id": "2", "key": "a", "secret": 5,
                 "limits": {"connections": -1}}
              ],
              "pubnub": {"pollHold": 301, "secret": ""},
              "redis": "http://user:hidden@h"
            }
            """)
        let failure = #expect(throws: CommandFailure.self) {
            try ServeSettings(
                command: ServeCommand.parse(["--config", file.path, "--threads", "0"]), environment: ["LIFELINE_BRIDGE": "maybe"])
        }
        let name = file.path
        let messages = failure?.messages ?? []
        for expected in [
            #"port (\#(name), line 3) is "abc"; it must be an integer from 0 to 65535."#,
            "There is no setting prot (\(name), line 4).", "apps[1] (\(name), line 7) has the same key as apps[0].",
            "apps[1].secret (\(name), line 7) must be a non-empty string",
            "apps[1].limits.connections (\(name), line 8) is -1; it must be an integer from 0",
            "pubnub.pollHold (\(name), line 10) is 301; it must be", "pubnub.secret (\(name), line 10) is empty",
            "redis (\(name), line 11): ", #"--threads is "0"; it must be"#,
            #"LIFELINE_BRIDGE is "maybe"; it must be true or false."#,
        ] {
            #expect(messages.count { $0.hasPrefix(expected) } == 1, "\(expected)")
        }
        #expect(messages.count == 10 && !messages.joined().contains("hidden"))
    }

    @Test("A file that is not JSON says the line; --check reads the certificate beside everything else (SO-5, SO-90)")
    func checks() throws {
        let file = try Scratch("{\n  \"port\": 1,\n  oops\n}")
        let failure = #expect(throws: CommandFailure.self) {
            try ServeSettings(command: ServeCommand.parse(["--config", file.path]), environment: [:])
        }
        #expect(failure?.message.contains("\(file.path), line 3, is not JSON") == true)
        let arguments = ["--check", "--host", "0.0.0.0", "--tls-cert", "/nowhere/c", "--tls-key", "/nowhere/k"]
        let all = #expect(throws: CommandFailure.self) {
            try ServeSettings(command: ServeCommand.parse(arguments + ["--port", "x"]), environment: [:])
        }
        #expect(all?.messages.count == 3 && all?.message.contains("/nowhere") == false)
        #expect(all?.message.contains("The file of the certificate does not exist. Check its path. --tls-cert") == true)
        #expect(all?.message.contains("--allow-public-secrets") == true)
    }
}

/// A file that is gone with its owner.
private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path

    init(_ text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
