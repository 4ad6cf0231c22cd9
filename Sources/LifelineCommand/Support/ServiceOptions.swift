import ArgumentParser
import Foundation
import Lifeline
import ServerRuntime

/// The services that a command supports.
///
/// Output for people uses ``word``. Settings, variables and JSON fields use the raw values, which are older than this package's own chat
/// protocol and stay for compatibility (rule SO-125).
enum ServiceKind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case pusher, pubnub, nexconn

    var word: String { self == .nexconn ? "chat" : rawValue }

    /// The name of the server module for the service.
    var module: ServiceName { ServiceName(rawValue: word) }

    /// Finds a service by its word or its raw value, so both names of chat are accepted.
    init?(word: String) {
        guard let service = Self.allCases.first(where: { $0.word == word }) ?? Self(rawValue: word) else { return nil }
        self = service
    }

    init?(argument: String) { self.init(word: argument) }

    static var allValueStrings: [String] { allCases.map(\.word) }
    static var allValueDescriptions: [String: String] { [:] }
    var defaultValueDescription: String { word }

    /// Notes about given options that have no effect with this service (rule CL-13).
    func notes(on options: [(option: String, isGiven: Bool, services: [ServiceKind])]) -> [String] {
        options.filter { $0.isGiven && !$0.services.contains(self) }
            .map { note in
                "\(note.option) is for \(note.services.map(\.word).joined(separator: " and ")); \(word) does not use it."
            }
    }
}

/// The values of the option `--timing`.
enum TimingName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case `default`, fast

    var profile: TimingProfile { self == .fast ? .fast : .standard }
}

/// The values of the option `--device-class`.
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

/// The options for the service, its address, and the user. Shared by all commands that connect.
struct ServiceOptions: ParsableArguments {
    @OptionGroup(title: "Service") var place: ServicePlaceOptions
    @OptionGroup(title: "User") var identity: ServiceUserOptions
    @OptionGroup(title: "Encryption") var encryption: ServiceEncryptionOptions
    @OptionGroup(title: "Network") var network: ServiceNetworkOptions

    func validate() throws {
        let isSecretGiven = secret != nil || identity.secretFile != nil
        if isSecretGiven && authEndpoint != nil {
            throw ValidationError("--secret and --auth-endpoint exclude each other: one of them authorises channels.")
        }
        if secret != nil && identity.secretFile != nil {
            throw ValidationError("--secret and --secret-file exclude each other.")
        }
    }

    /// Returns these options with the secret, the address and the keys completed from the configuration (rules CL-124 and CL-127).
    ///
    /// A missing secret is taken from the configuration or the variable of the service, unless `--token` or `--auth-endpoint` authenticates
    /// the command. A secret on standard input is read here, once.
    func resolved(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> ServiceOptions {
        var options = self
        let given = try CredentialSources.secret(secret, file: identity.secretFile)
        options.identity.secret = given?.revealed
        let sources = CredentialSources(config: place.config, environment: environment)
        if place.url == nil { options.place.url = try sources.address() }
        guard token == nil, authEndpoint == nil, sources.areNamed(for: service, given: given) else { return options }
        let found = try sources.credentials(
            for: service, key: key, publishKey: publishKey, appID: place.appID, given: given)
        (options.place.key, options.identity.secret) = (found.key, found.secret.revealed)
        if service == .pubnub { options.place.publishKey = found.publishKey }
        if service == .pusher { options.place.appID = found.appID }
        return options
    }

    /// The name of this client in the field `sub` of JSON lines.
    var subscriber: String { name ?? user ?? "lifeline" }

    /// Makes the service with its address, user and credentials.
    ///
    /// - Parameters:
    ///   - presence: whether presence events are received.
    ///   - filter: a filter expression for messages, for services that can filter.
    ///   - isBrief: whether the connection is for a single request.
    func makeService(
        presence: Bool = false, filter: String? = nil, isBrief: Bool = false
    ) throws(CommandFailure) -> Service {
        if let ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        _ = try makeClientOptions()
        let address = try ServiceAddress(url)
        switch service {
        case .pusher:
            return try pusher(address)
        case .pubnub:
            if address.path != nil { throw CommandFailure("--url \(url): PubNub is not below a path.", .usage) }
            return .pubnub(
                publishKey: publishKey ?? "demo", subscribeKey: key ?? "demo", userID: user ?? subscriber, host: address.host,
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
                "--service chat has to know who the user is: give --token, or --secret-file (or --config) and --user to have a token "
                    + "issued.", .usage)
        case (.some, .some):
            throw CommandFailure("--token and --secret exclude each other: with a secret a token is issued.", .usage)
        }
        return .nexconn(
            appKey: key ?? "app-key", host: address.host, path: address.path, access: access,
            device: isBrief ? nil : Self.device(of: subscriber),
            deviceClass: (deviceClass ?? (isBrief ? .web : .desktop)).deviceClass, presence: presence)
    }

    /// The id of this device for chat. It is derived from the name, so that a second run continues at the position of the first run.
    static func device(of subscriber: String) -> String {
        String(String.UnicodeScalarView("lifeline-\(subscriber)".unicodeScalars.prefix(64)))
    }

    /// How long a command with a single request waits for the connection and for the channel that the request needs.
    static let connectLimit = Duration.seconds(10)

    /// Connects if the service answers requests only over an open connection, which is the case for chat.
    func connectIfNeeded(_ client: LifelineClient) async throws(LifelineError) {
        guard service == .nexconn else { return }
        try await BriefConnection.open(client, within: Self.connectLimit) { () async throws(LifelineError) in
            try await client.connect()
        }
    }

    private func pusher(_ address: ServiceAddress) throws(CommandFailure) -> Service {
        let access: PusherAccess
        if let secret {
            access = .secret(secret, appID: appID, encryptionMasterKey: encryptionKey)
        } else if let authEndpoint {
            access = .endpoint(authEndpoint)
        } else {
            access = .none
        }
        return .pusher(
            key: key ?? "app-key", host: address.host, api: try apiHost(), path: address.path, access: access,
            user: (user ?? name).map { Member(id: $0) }, signIn: try pusherSignIn(), recoversMessages: !noRecovery)
    }

    /// Rule CL-122.
    private func apiHost() throws(CommandFailure) -> ServiceHost? {
        guard let apiURL else { return nil }
        let address = try ServiceAddress(apiURL, option: "--api-url")
        if address.path != nil { throw CommandFailure("--api-url \(apiURL): the HTTP API is not below a path.", .usage) }
        return address.host
    }

    private func pusherSignIn() throws(CommandFailure) -> PusherSignIn? {
        switch (signIn, userEndpoint) {
        case (_, let endpoint?):
            if !watch.isEmpty {
                throw CommandFailure("--watch is for --sign-in: an endpoint says itself who is watched.", .usage)
            }
            return .endpoint(endpoint)
        case (true, nil):
            guard secret != nil, user ?? name != nil else {
                throw CommandFailure("--sign-in needs --secret and --user, or --user-endpoint instead.", .usage)
            }
            return .secret(watchlist: watch)
        case (false, nil):
            if !watch.isEmpty { throw CommandFailure("--watch needs --sign-in.", .usage) }
            return nil
        }
    }

    /// The options of the client. Errors are ignored here, because ``makeService(presence:filter:isBrief:)`` has already reported them.
    var clientOptions: ClientOptions { (try? makeClientOptions()) ?? ClientOptions() }

    func makeClientOptions() throws(CommandFailure) -> ClientOptions {
        var options = ClientOptions(
            timing: timing.profile, certificateAuthorityFile: ca, requiresEncryption: requireEncryption, backlog: 16_384)
        if !pin.isEmpty {
            do throws(CertificatePins.Malformed) {
                options.certificatePins = try CertificatePins(pin)
            } catch {
                throw CommandFailure("--pin: \(error)", .usage)
            }
        }
        if let proxy { options.proxy = try DoctorTarget.readProxy(proxy) }
        for field in header {
            guard let colon = field.firstIndex(of: ":"), colon > field.startIndex else {
                throw CommandFailure("--header takes 'Name: value'.", .usage)
            }
            options.headers[String(field[..<colon])] = field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return options
    }

    /// Notes about given options that have no effect with the selected service.
    var notes: [String] {
        service.notes(on: [
            ("--api-url", apiURL != nil, [.pusher]), ("--publish-key", publishKey != nil, [.pubnub]),
            ("--token", token != nil, [.pubnub, .nexconn]),
            ("--cipher-key", cipherKey != nil, [.pubnub]), ("--auth-endpoint", authEndpoint != nil, [.pusher]),
            ("--encryption-key", encryptionKey != nil, [.pusher]), ("--sign-in", signIn, [.pusher]),
            ("--watch", !watch.isEmpty, [.pusher]), ("--user-endpoint", userEndpoint != nil, [.pusher]),
            ("--device-class", deviceClass != nil, [.nexconn]), ("--no-recovery", noRecovery, [.pusher]),
        ])
    }
}
