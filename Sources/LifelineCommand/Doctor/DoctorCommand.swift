import ArgumentParser
import Foundation
import NIOConcurrencyHelpers
import RedisClient
import RedisStoreEngine
import ServerCluster

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tests a connection step by step and says what to do about the step that fails.",
        discussion: HelpText.text(
            """
            Tests the address, name resolution, TCP, the proxy, TLS and its certificate, HTTP, the clock, the WebSocket upgrade, the \
            service's handshake, a subscription, and a message there and back. With --secret it also subscribes to private \
            channels and publishes. Subscribers of --channel see one event named lifeline-doctor; without --channel nobody sees it.

            With --redis it tests the Redis that several servers share instead: whether it can be reached, its version and role, \
            rights, behaviour when its memory is full, persistence, buffers, clock and latency.

            With --data it tests the place where a server keeps its data. A PostgreSQL database: whether it can be reached, its version, \
            encryption, whether it can be written to, rights, the version of the tables, whether a server uses them, and how long a commit \
            takes. A directory: whether its databases can be read and are of this version. Nothing is changed.

            The exit code is 0 when every step that was tried works, and 1 when one failed.

            EXAMPLES
              lifeline doctor http://127.0.0.1:6001
              lifeline doctor wss://example.com/app/app-key --secret app-secret --app-id 1001
              lifeline doctor --cluster eu --key a1b2c3d4e5f6
              lifeline doctor https://chat.example.com --proxy http://proxy.example.com:3128
              lifeline doctor https://localhost:8443 --ca ca.pem --json
              lifeline doctor https://ps.pndsn.com --service pubnub --key demo
              lifeline doctor http://127.0.0.1:6001 --service chat --key app-key --secret app-secret
              lifeline doctor --redis redis://127.0.0.1:6379
              lifeline doctor --data postgres://lifeline@127.0.0.1/lifeline
            """))

    @Argument(help: "The address of the service: http, https, ws or wss, host and port. It may end in /app/KEY.")
    var url: String?

    @OptionGroup(title: "Service") var place: DoctorServiceOptions

    @OptionGroup(title: "User") var identity: DoctorUserOptions

    @OptionGroup(title: "Redis") var shared: DoctorRedisOptions

    @OptionGroup(title: "Data") var stored: DoctorDataOptions

    @OptionGroup(title: "Network") var network: DoctorNetworkOptions

    @Flag(help: "Prints each step as a JSON object on one line.")
    var json = false

    func validate() throws {
        if identity.secret != nil, identity.secretFile != nil {
            throw ValidationError("--secret and --secret-file exclude each other.")
        }
        if stored.data != nil, !shared.redis.isEmpty {
            throw ValidationError("--data and --redis exclude each other.")
        }
        if !(network.timeout > 0 && network.timeout <= 600) {
            throw ValidationError("--timeout takes a number of seconds, at most 600.")
        }
    }

    func run() async throws {
        if let data = stored.data { return try examine(data: data) }
        if !shared.redis.isEmpty { return try await examine(shared.redis) }
        if let ca = network.ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        let found = try credentials()
        var target = try DoctorTarget(
            service: place.service, url: url, cluster: place.cluster, key: found.key, secret: found.secret,
            appID: found.appID ?? "1001", channel: place.channel, proxy: network.proxy)
        target.publishKey = found.publishKey ?? target.publishKey
        (target.token, target.user) = (identity.token, identity.user)
        let notes = place.service.notes(on: [
            ("--publish-key", place.publishKey != nil, [.pubnub]), ("--token", identity.token != nil, [.pubnub, .nexconn]),
            ("--user", identity.user != nil, [.nexconn]),
        ])
        for note in notes { StandardError.print("note: \(note)") }
        let (json, colours, unreached) = (json, Colours.standardOutput, NIOLockedValueBox<[String]>([]))
        let limit = Duration.seconds(network.timeout)
        var doctor = Doctor(target: target, limits: { _ in limit }, authorityFile: network.ca) { step in
            if json { return StandardOutput.print(step.json) }
            // The titles of all unreached steps are printed in one line at the end.
            if case .unreached = step.verdict { return unreached.withLockedValue { $0.append(step.step.title) } }
            StandardOutput.print(step.text(colours))
        }
        let failures = await doctor.run()
        if !json {
            let titles = unreached.withLockedValue { $0 }
            if !titles.isEmpty {
                StandardOutput.print("\(colours.paint("–", .dim)) not tried: \(titles.joined(separator: ", "))")
            }
            StandardOutput.print(Self.summary(failures))
        }
        if failures > 0 { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    /// Reads the credentials from the options, the configuration and the environment variables (rule CL-124).
    private func credentials(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> (key: String?, publishKey: String?, appID: String?, secret: String?) {
        let given = try CredentialSources.secret(identity.secret, file: identity.secretFile)
        let sources = CredentialSources(config: place.config, environment: environment)
        // The configured secrets are not used for the servers of a vendor, or when the user gave a token.
        guard identity.token == nil, place.cluster == nil, sources.areNamed(for: place.service, given: given) else {
            return (place.key, place.publishKey, place.appID, given?.revealed)
        }
        let found = try sources.credentials(
            for: place.service, key: place.key, publishKey: place.publishKey, appID: place.appID, given: given)
        let isPubNub = place.service == .pubnub
        return (
            found.key, isPubNub ? found.publishKey : nil, place.service == .pusher ? found.appID : nil, found.secret.revealed
        )
    }

    private func examine(data: String) throws {
        let place = try DataPlace(data, passwordFile: stored.dataPasswordFile)
        let (json, colours) = (json, Colours.standardOutput)
        let failures = DataDoctor(place: place) { StandardOutput.print(json ? $0.json : $0.text(colours)) }.run()
        if !json { StandardOutput.print(Self.summary(failures)) }
        if failures > 0 { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    private func examine(_ addresses: [String]) async throws {
        guard let keys = ClusterKeys(cluster: shared.redisPrefix ?? ClusterKeys.standardCluster) else {
            throw CommandFailure.redisPrefix
        }
        let (json, colours) = (json, Colours.standardOutput)
        var failures = 0
        do {
            // All addresses are parsed before the first server is tested, so that an invalid address is reported at once.
            for address in try addresses.map({ try RedisAddress($0) }) {
                let doctor = RedisDoctor(address: address, keys: keys, limit: .seconds(network.timeout)) { step in
                    StandardOutput.print(json ? step.json : step.text(colours))
                }
                failures += try await doctor.run()
            }
        } catch {
            throw CommandFailure("\(error)", .usage)
        }
        if !json { StandardOutput.print(Self.summary(failures)) }
        if failures > 0 { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    private static func summary(_ failures: Int) -> String {
        failures == 0 ? "All tested steps succeeded." : failures == 1 ? "One step failed." : "\(failures) steps failed."
    }
}
