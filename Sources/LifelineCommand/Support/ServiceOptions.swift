import ArgumentParser
import Foundation
import Lifeline

/// The services that a command can talk to.
enum ServiceName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case pusher, pubnub, nexconn
}

/// `--timing`.
enum TimingName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case `default`, fast

    var profile: TimingProfile { self == .fast ? .fast : .standard }
}

/// `--device-class`.
enum DeviceClassName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case mobile, desktop, web

    var deviceClass: NexconnDeviceClass {
        switch self {
        case .mobile: .mobile
        case .desktop: .desktop
        case .web: .web
        }
    }
}

/// Which service, where, and as whom. Shared by all commands that connect.
struct ServiceOptions: ParsableArguments {
    @Option(help: "The service to speak to.")
    var service = ServiceName.pusher

    @Option(help: "Where it is: http, https, ws or wss, host and port.")
    var url = "http://127.0.0.1:6001"

    @Option(help: "The app's key, PubNub's subscribe key (default: app-key, demo).")
    var key: String?

    @Option(help: "PubNub's publish key (default: demo).")
    var publishKey: String?

    @Option(
        help: "The app's secret: signs channels and what is published; for PubNub, every request; for Nexconn, the user's token.")
    var secret: String?

    @Option(help: "Asks this address to authorise channels, instead of --secret.")
    var authEndpoint: String?

    @Option(help: "The app's number in the HTTP API.")
    var appID = "1001"

    @Option(help: "The user id (default: --name).")
    var user: String?

    @Option(help: "PubNub's access token or auth key; Nexconn's access token, which says who the user is.")
    var token: String?

    @Option(help: "The class of this device: a user has one of each connected (Nexconn; default: desktop, web for one question).")
    var deviceClass: DeviceClassName?

    @Option(help: "Encrypts what is published and decrypts what arrives (PubNub).")
    var cipherKey: String?

    @Option(help: "Names this client in every line.")
    var name: String?

    @Option(help: "How fast outages are noticed and mended.")
    var timing = TimingName.default

    @Option(help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"))
    var ca: String?

    func validate() throws {
        if secret != nil && authEndpoint != nil {
            throw ValidationError("--secret and --auth-endpoint exclude each other: one of them authorises channels.")
        }
    }

    /// What stands in the field `sub`.
    var subscriber: String { name ?? user ?? "lifeline" }

    /// - Parameters:
    ///   - presence: whether who comes and goes is wanted.
    ///   - filter: which messages are wanted, for services that can tell.
    ///   - isBrief: whether the connection is for one question only.
    func makeService(
        presence: Bool = false, filter: String? = nil, isBrief: Bool = false
    ) throws(CommandFailure) -> Service {
        if let ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        let address = try ServiceAddress(url)
        switch service {
        case .pusher:
            return pusher(address)
        case .pubnub:
            if address.path != nil { throw CommandFailure("--url \(url): PubNub is not below a path.", .usage) }
            return .pubnub(
                publishKey: publishKey ?? "demo", subscribeKey: key ?? "demo", userID: subscriber, host: address.host,
                authToken: token, secretKey: secret, cipherKey: cipherKey, filter: filter, presence: presence)
        case .nexconn:
            return try nexconn(address, presence: presence, isBrief: isBrief)
        }
    }

    /// Rule CL-16.
    private func nexconn(
        _ address: ServiceAddress, presence: Bool, isBrief: Bool
    ) throws(CommandFailure) -> Service {
        let access: NexconnAccess
        switch (token, secret) {
        case (let token?, nil): access = .token(token)
        case (nil, let secret?): access = .secret(secret, user: user ?? subscriber)
        case (nil, nil):
            throw CommandFailure(
                "--service nexconn has to know who the user is: give --token, or --secret and --user to have a token issued.",
                .usage)
        case (.some, .some):
            throw CommandFailure("--token and --secret exclude each other: with a secret a token is issued.", .usage)
        }
        return .nexconn(
            appKey: key ?? "app-key", host: address.host, path: address.path, access: access,
            device: isBrief ? nil : Self.device(of: subscriber),
            deviceClass: (deviceClass ?? (isBrief ? .web : .desktop)).deviceClass, presence: presence)
    }

    /// The same for the same name, so that a second run takes up where the first one was.
    static func device(of subscriber: String) -> String {
        String(String.UnicodeScalarView("lifeline-\(subscriber)".unicodeScalars.prefix(64)))
    }

    /// How long a command that asks one question waits for the connection.
    static let connectLimit = Duration.seconds(10)

    /// Connects, for services that answer questions over the connection only.
    func connectIfNeeded(_ client: LifelineClient) async throws(LifelineError) {
        if service == .nexconn { try await client.connect(timeout: Self.connectLimit) }
    }

    private func pusher(_ address: ServiceAddress) -> Service {
        let access: PusherAccess
        if let secret {
            access = .secret(secret, appID: appID)
        } else if let authEndpoint {
            access = .endpoint(authEndpoint)
        } else {
            access = .none
        }
        return .pusher(
            key: key ?? "app-key", host: address.host, path: address.path, access: access,
            user: (user ?? name).map { Member(id: $0) })
    }

    var clientOptions: ClientOptions {
        ClientOptions(timing: timing.profile, certificateAuthorityFile: ca, backlog: 16_384)
    }

    /// What was given and does nothing with this service.
    var notes: [String] {
        let given: [(option: String, isGiven: Bool, services: [ServiceName])] = [
            ("--publish-key", publishKey != nil, [.pubnub]), ("--token", token != nil, [.pubnub, .nexconn]),
            ("--cipher-key", cipherKey != nil, [.pubnub]), ("--auth-endpoint", authEndpoint != nil, [.pusher]),
            ("--device-class", deviceClass != nil, [.nexconn]),
        ]
        return given.filter { $0.isGiven && !$0.services.contains(service) }
            .map { note in
                let names = note.services.map(\.rawValue).joined(separator: " and ")
                return "\(note.option) is for \(names); \(service.rawValue) does not use it."
            }
    }
}
