import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PubNubProtocol
import TransportCommon

extension PubNubEngineAssembly {
    static let live = on(.live)

    /// The assembly with real sockets, or the assembly with the configuration's test double.
    static func chosen(by values: ConfigurationValues) -> PubNubEngineAssembly {
        values.double.map { on(.doubled($0.double)) } ?? .live
    }

    private static func on(_ parts: ClientParts) -> PubNubEngineAssembly {
        PubNubEngineAssembly(
            makeCalls: { values in
                if case .doubled(let double) = parts { return DoubleCalls(double) }
                if let problem = values.problem { return RefusingCalls(problem) }
                return LiveCalls(values)
            },
            makeEngine: { values, settings in
                LiveSubscription(
                    settings,
                    makeDriver: { settings in
                        let driver = driver(
                            values, settings, transport: transport(values, parts), timers: parts.makeTimers(),
                            seed: parts.nextSeed(),
                            unixTime: parts.unixSeconds)
                        parts.track(driver)
                        return driver
                    },
                    observeNetwork: { parts.observeNetwork(of: $0, $1) })
            },
            observeApplication: { parts.application?.observe($0) })
    }

    private static func transport(
        _ values: ConfigurationValues, _ parts: ClientParts
    ) -> any ClientTransport<PubNubSession> {
        if case .live = parts, let problem = values.problem { return RefusingTransport<PubNubSession>(problem) }
        return parts.longPoll(values.transport) { PubNubAnswerDecoder() }
    }

    /// Makes a connection driver for the configured service.
    static func driver(
        _ values: ConfigurationValues, _ settings: PubNubSettings, transport: any ClientTransport<PubNubSession>,
        timers: any TimerScheduler, seed: UInt64 = .random(in: .min ... .max),
        unixTime: @escaping @Sendable () -> Int = SystemTime.unixSeconds
    ) -> ConnectionDriver<PubNubSession> {
        let memory = PubNubMemory(
            settings: settings, options: values.options, seed: seed, unixTime: unixTime)
        return ConnectionDriver(
            transport: transport, jobs: NoJobs<PubNubSession>(), timers: timers, policy: values.policy(seed: seed),
            memory: memory, seed: seed,
            observer: ActivityObserver(values.preventsAppNap))
    }
}

extension ConfigurationValues {
    /// The parsed certificate pins; nil when there are none or when one is invalid, which ``problem`` reports.
    var pins: CertificatePins? { certificatePins.isEmpty ? nil : try? CertificatePins(certificatePins) }

    /// The error of the configuration; nil when it is valid. While there is an error, the client sends nothing (rules PK-69 and PK-71).
    var problem: ConnectionFailure? {
        let most = PubNubCipher.maximumReaders
        if readingCipherKeys.count > most {
            return ConnectionFailure(
                .badRequest, "The configuration has \(readingCipherKeys.count) keys in readingCipherKeys. Pass at most \(most).")
        }
        guard !certificatePins.isEmpty else { return nil }
        do throws(CertificatePins.Malformed) {
            _ = try CertificatePins(certificatePins)
            return nil
        } catch {
            return ConnectionFailure(.badRequest, error.description)
        }
    }

    /// The connection policy of the chosen timing and liveness.
    var timingPolicy: ConnectionPolicy {
        var policy: ConnectionPolicy =
            switch timing {
            case .standard: .standard
            case .fast: .fast
            }
        policy.timing = policy.timing.watching(liveness)
        return policy
    }

    /// The network settings of all connections, with the size and time limits of answers (rule PK-65).
    var network: NetworkSettings {
        NetworkSettings(
            policy: timingPolicy, authorityFile: certificateAuthorityFile, pins: pins, certificate: clientCertificate,
            proxy: proxy.map { HTTPProxy(host: $0.host, port: $0.port, user: $0.user, password: $0.password) },
            paths: networkPaths, messageTimeout: messageTimeout.map { .positive(seconds: $0) }, messageBytes: chosenAnswerSize)
    }

    /// The transport settings of the subscription, a long poll.
    var transport: LongPollTransportConfiguration { network.longPoll() }

    /// The session's options.
    var options: PubNubOptions {
        var options = PubNubOptions()
        options.pollTimeout = .positive(seconds: subscribeMaximumIdleTime)
        options.pollRenewal = subscribeRenewalInterval.map { $0 > 0 ? .positive(seconds: $0) : .zero }
        options.requestTimeout = requestTimeout
        options.heartbeatValue = presenceHeartbeatValue
        options.heartbeatInterval = max(presenceHeartbeatInterval, 0)
        options.suppressesLeave = suppressLeaveEvents
        options.managesPresenceManually = managePresenceListManually
        options.keepsTimetokenOnListChange = keepTimeTokenOnListChange
        options.restoresSubscription = restoreSubscription
        options.catchesUpOnRestore = catchUpOnSubscriptionRestore
        options.messageCountThreshold = Int(clamping: requestMessageCountThreshold)
        options.dedupCapacity = Int(clamping: min(maximumMessagesCacheSize, 100_000))
        return options
    }

    /// The connection policy with the configured retries and pauses (rules PK-14 and PX-5).
    func policy(seed: UInt64) -> ConnectionPolicy {
        var base = timingPolicy
        var pauses = retryPolicy.pauses
        if let most = retryPolicy.maximumDelay {
            base.cap = max(.positive(seconds: most), .milliseconds(100))
            pauses = pauses?.capped(at: base.cap)
        }
        base = base.retrying(pauses)
        base.backgroundGrace = backgroundGrace.map { $0.isNaN ? .zero : .seconds(min(max($0, 0), 86_400)) }
        base.retriesAutomatically = retryPolicy.isEnabled
        if let most = retryPolicy.maximumRetries { base.maximumRetries = max(most, 0) }
        // An error of the configuration persists, so the client does not retry.
        if problem != nil { base.overrides[.badRequest] = .never }
        return PubNubSession.policy(base, options: options, seed: seed)
    }
}
