import ArgumentParser
import Foundation
import Lifeline
import RealtimeHub

/// Where a server is, and the credentials for its HTTP API. Shared by commands that do what an application's own server does.
struct ServerAccessOptions: ParsableArguments {
    @Option(help: "The server's address: http, https, ws or wss, host and port.")
    var url = "http://127.0.0.1:6001"

    @Option(
        help: ArgumentHelp(
            "A configuration file of the server; the keys and the secret are taken from it. Also LIFELINE_CONFIG.",
            valueName: "file"))
    var config: String?

    @Option(help: "The app's key, PubNub's subscribe key (default: that of the configuration, else app-key, demo).")
    var key: String?

    @Option(help: "PubNub's publish key (default: that of the configuration, else demo).")
    var publishKey: String?

    @Option(help: "The app's id in Pusher's HTTP API (default: that of the configuration, else 1001).")
    var appID: String?

    @Option(help: ArgumentHelp("A file that contains the secret, and nothing else; - for standard input.", valueName: "file"))
    var secretFile: String?

    @Option(
        help:
            "The secret. The shell keeps it in its history, and other users of this machine can see it while the program starts: prefer --config, --secret-file, or LIFELINE_APP_SECRET, LIFELINE_PUBNUB_SECRET and LIFELINE_NEXCONN_SECRET."
    )
    var secret: String?

    @Option(help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("Connects through this proxy: http://[USER:PASSWORD@]HOST:PORT.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The time limit of each call.", valueName: "seconds"))
    var timeout = 10.0

    func validate() throws {
        if secret != nil, secretFile != nil {
            throw ValidationError("--secret and --secret-file exclude each other.")
        }
        if !(timeout > 0 && timeout <= 600) { throw ValidationError("--timeout takes a number of seconds, at most 600.") }
    }
}

/// What identifies an application to its server.
struct ServerCredentials: Hashable, Sendable {
    /// Of Pusher's HTTP API.
    var appID = ""
    /// The app's key; PubNub's subscribe key.
    var key: String
    /// PubNub's.
    var publishKey = ""
    var secret: Secret
}

extension ServerAccessOptions {
    /// The credentials that are meant: those of the options, with the rest from variables and the configuration, as a server reads them.
    /// Rule CL-103.
    func credentials(
        for service: ServiceName, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> ServerCredentials {
        let given = try givenSecret()
        let configured = try configured(service, environment)
        let match = configured.first { entry in
            (key.map { $0.utf8.elementsEqual(entry.key.utf8) } ?? true)
                && (service != .pusher || appID.map { $0.utf8.elementsEqual(entry.appID.utf8) } ?? true)
                && (service != .pubnub || publishKey.map { $0.utf8.elementsEqual(entry.publishKey.utf8) } ?? true)
        }
        if var match {
            match.secret = given ?? match.secret
            return match
        }
        guard let given, let first = configured.first else {
            let name = service == .pusher && key == nil ? "id \(appID ?? "")" : "key \(key ?? publishKey ?? "")"
            throw CommandFailure(
                "The configuration has no application with the \(name) for \(service.rawValue), so its secret is unknown. Name its "
                    + "file with --config, or give the secret with \(Self.variable(service)) or --secret-file.", .usage)
        }
        return ServerCredentials(
            appID: appID ?? first.appID, key: key ?? first.key, publishKey: publishKey ?? first.publishKey, secret: given)
    }

    private func configured(
        _ service: ServiceName, _ environment: [String: String]
    ) throws(CommandFailure) -> [ServerCredentials] {
        let options: ServeOptions
        do {
            options = try ServeOptions.parse(config.map { ["--config=\($0)"] } ?? [])
        } catch {
            throw CommandFailure("--config cannot be read: \(error)", .usage)
        }
        let settings = try ServeSettings(options, environment: environment)
        return switch service {
        case .pusher: settings.applications.map { ServerCredentials(appID: $0.id, key: $0.key, secret: $0.secret) }
        case .pubnub:
            settings.keysets.map {
                ServerCredentials(key: $0.subscribeKey, publishKey: $0.publishKey, secret: $0.secretKey)
            }
        case .nexconn: settings.chatApplications.map { ServerCredentials(key: $0.key, secret: $0.secret) }
        }
    }

    private func givenSecret() throws(CommandFailure) -> Secret? {
        if let secret {
            guard !secret.isEmpty else { throw CommandFailure("--secret is empty.", .usage) }
            return Secret(secret)
        }
        guard let secretFile else { return nil }
        let text: String
        if secretFile == "-" {
            text = readLine(strippingNewline: true) ?? ""
        } else {
            do throws(FileContent.Failure) {
                text = String(decoding: try FileContent.read(secretFile, limit: 4_096), as: UTF8.self)
            } catch {
                throw CommandFailure("--secret-file \(secretFile) \(error.reason).", .usage)
            }
        }
        let secret = text.trimmingSpaces
        guard !secret.isEmpty, !secret.contains(where: \.isNewline) else {
            throw CommandFailure("--secret-file \(secretFile) must contain the secret on one line, and nothing else.", .usage)
        }
        return Secret(secret)
    }

    private static func variable(_ service: ServiceName) -> String {
        switch service {
        case .pusher: "LIFELINE_APP_SECRET"
        case .pubnub: "LIFELINE_PUBNUB_SECRET"
        case .nexconn: "LIFELINE_NEXCONN_SECRET"
        }
    }
}
