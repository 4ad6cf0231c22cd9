import ArgumentParser
import Foundation
import Lifeline
import ServerStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The credentials with which a command calls the server of an application.
struct ServerCredentials: Hashable, Sendable {
    /// The id of the application in Pusher's HTTP API.
    var appID = ""
    /// The app's key; PubNub's subscribe key.
    var key: String
    /// PubNub's publish key.
    var publishKey = ""
    var secret: Secret
}

/// Finds an application's secret for a command, in a configuration file of the server or in its environment variables (rules CL-103 and
/// CL-124).
struct CredentialSources {
    /// The value of `--config`. Nil for the file that the variable `LIFELINE_CONFIG` names, if this variable is set.
    var config: String?
    var environment: [String: String]

    /// Whether a configuration, or a variable with the service's secret, was given. If not, only the development credentials of `serve` are
    /// available.
    ///
    /// An empty variable counts as given, so that a later error reports the missing secret (rule CL-126). It does not count if an option
    /// gave the secret (`given`).
    func areNamed(for service: ServiceKind, given: Secret?) -> Bool {
        config != nil
            || [Self.variable(service), "LIFELINE_CONFIG"].contains { name in
                environment[name].map { !$0.isEmpty || given == nil } == true
            }
    }

    /// - Parameters:
    ///   - key: the key of the requested application; nil for the first application. A nil `publishKey` or `appID` has the same meaning.
    ///   - given: a secret that has precedence over the configured secret.
    func credentials(
        for service: ServiceKind, key: String?, publishKey: String?, appID: String?, given: Secret?
    ) throws(CommandFailure) -> ServerCredentials {
        let configured = try configured(service)
        let match = configured.first { entry in
            (key.map { $0.utf8.elementsEqual(entry.key.utf8) } ?? true)
                && (service != .pusher || appID.map { $0.utf8.elementsEqual(entry.appID.utf8) } ?? true)
                && (service != .pubnub || publishKey.map { $0.utf8.elementsEqual(entry.publishKey.utf8) } ?? true)
        }
        if var match {
            match.secret = given ?? match.secret
            return match
        }
        let first = configured.first
        guard let given = given ?? loneSecret(of: service), let named = key ?? first?.key else {
            guard first != nil || key != nil || publishKey != nil || appID != nil else {
                throw CommandFailure(
                    "The configuration names no application for \(service.word), because its list is empty. Name an "
                        + "application that was made at run time with \(service == .pusher ? "--key, --app-id" : "--key") and "
                        + "--secret-file.", .usage)
            }
            let name = service == .pusher && key == nil ? "id \(appID ?? "")" : "key \(key ?? publishKey ?? "")"
            throw CommandFailure(
                "The configuration has no application with the \(name) for \(service.word), so its secret is unknown. "
                    + "Name the application's configuration file with --config, or give the secret with --secret-file, or set "
                    + "\(Self.variable(service)) and the variable of its key.", .usage)
        }
        return ServerCredentials(
            appID: appID ?? first?.appID ?? "", key: named, publishKey: publishKey ?? first?.publishKey ?? "", secret: given)
    }

    /// The secret in the service's variable, if neither a configuration nor a variable names the key or id of its application. It then
    /// belongs to the application that the command names.
    private func loneSecret(of service: ServiceKind) -> Secret? {
        let names =
            switch service {
            case .pusher: ["LIFELINE_APP_KEY", "LIFELINE_APP_ID"]
            case .pubnub: ["LIFELINE_PUBNUB_SUBSCRIBE_KEY", "LIFELINE_PUBNUB_PUBLISH_KEY"]
            case .nexconn: ["LIFELINE_NEXCONN_KEY"]
            }
        guard config == nil, !(names + ["LIFELINE_CONFIG"]).contains(where: { environment[$0]?.isEmpty == false }),
            let secret = environment[Self.variable(service)], !secret.isEmpty
        else { return nil }
        return Secret(secret)
    }

    /// The server's address if neither the command nor a configuration gives one.
    static let usualAddress = "http://127.0.0.1:6001"

    /// The address at which this machine reaches the server of the configuration (rule CL-127). It is ``usualAddress`` without a
    /// configuration, and for a server that chooses its port itself.
    func address() throws(CommandFailure) -> String {
        guard config != nil || environment["LIFELINE_CONFIG"]?.isEmpty == false else { return Self.usualAddress }
        let settings = try settings()
        guard settings.port != 0 else { return Self.usualAddress }
        let host = ["0.0.0.0", "::"].contains(settings.host) ? "127.0.0.1" : settings.host
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(settings.tls == nil ? "http" : "https")://\(shown):\(settings.port)\(settings.server.pathPrefix)"
    }

    private func settings() throws(CommandFailure) -> ServeSettings {
        let options: ServeOptions
        do {
            options = try ServeOptions.parse(config.map { ["--config=\($0)"] } ?? [])
        } catch {
            throw CommandFailure("--config cannot be read: \(error)", .usage)
        }
        // The variables with the console's passwords are removed, because without an admin port they would be an error of the settings.
        let passwords: Set = ["LIFELINE_ADMIN_PASSWORD", "LIFELINE_ADMIN_READ_ONLY_PASSWORD"]
        return try ServeSettings(options, environment: environment.filter { !passwords.contains($0.key) })
    }

    private func configured(_ service: ServiceKind) throws(CommandFailure) -> [ServerCredentials] {
        let settings = try settings()
        return switch service {
        case .pusher: settings.applications.map { ServerCredentials(appID: $0.id, key: $0.key, secret: $0.secret) }
        case .pubnub:
            settings.keysets.map {
                ServerCredentials(key: $0.subscribeKey, publishKey: $0.publishKey, secret: $0.secretKey)
            }
        case .nexconn: settings.chatApplications.map { ServerCredentials(key: $0.key, secret: $0.secret) }
        }
    }

    /// The secret of `--secret` or `--secret-file`; nil when neither option was given.
    static func secret(_ secret: String?, file: String?) throws(CommandFailure) -> Secret? {
        if let secret {
            guard !secret.isEmpty else { throw CommandFailure("--secret is empty.", .usage) }
            return Secret(secret)
        }
        guard let file else { return nil }
        let bytes: [UInt8]
        if file == "-" {
            bytes = lineOfStandardInput()
        } else {
            do throws(FileContent.Failure) {
                bytes = Array(try FileContent.read(file, limit: 4_096))
            } catch {
                throw CommandFailure("--secret-file \(file) \(error.reason).", .usage)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains("\0") else {
            throw CommandFailure("--secret-file \(file) is not text: it must contain the secret on one line, in UTF-8.", .usage)
        }
        let secret = text.trimmingSpaces
        guard !secret.isEmpty, !secret.contains(where: \.isNewline) else {
            throw CommandFailure("--secret-file \(file) must contain the secret on one line, and nothing else.", .usage)
        }
        return Secret(secret)
    }

    /// Reads the first line byte by byte and nothing after it, because `listen` reads its commands from the following lines.
    private static func lineOfStandardInput() -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4_096 {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Waits until there is input, because another process may have made the descriptor non-blocking.
                var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, -1) >= 0 || errno == EINTR else { break }
                continue
            }
            if count <= 0 || byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        return line
    }

    static func variable(_ service: ServiceKind) -> String {
        switch service {
        case .pusher: "LIFELINE_APP_SECRET"
        case .pubnub: "LIFELINE_PUBNUB_SECRET"
        case .nexconn: "LIFELINE_NEXCONN_SECRET"
        }
    }
}
