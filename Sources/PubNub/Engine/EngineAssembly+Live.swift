import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOPosix
import PubNubProtocol
import TransportCommon

extension EngineAssembly {
    /// Real sockets, on the event loops that all clients of the process share.
    static let live = EngineAssembly(
        makeCalls: { values in
            if let problem = values.problem { return RefusingCalls(problem) }
            return LiveCalls(values)
        },
        makeEngine: { values, settings in
            LiveSubscription(
                settings,
                makeDriver: { settings in
                    let transport: any ClientTransport<PubNubSession> =
                        if let problem = values.problem {
                            RefusingTransport<PubNubSession>(problem)
                        } else {
                            LongPollTransport<PubNubSession>(
                                decoder: { PubNubAnswerDecoder() }, configuration: values.transport)
                        }
                    return driver(
                        values, settings, transport,
                        EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()))
                },
                observeNetwork: { host, report in NetworkMonitor.shared.observe(forHost: host, report) })
        },
        observeApplication: { ApplicationMonitor.shared.observe($0) })

    /// A driver for the configured service.
    static func driver(
        _ values: ConfigurationValues, _ settings: PubNubSettings, _ transport: any ClientTransport<PubNubSession>,
        _ timers: any TimerScheduler, seed: UInt64 = .random(in: .min ... .max)
    ) -> ConnectionDriver<PubNubSession> {
        let memory = PubNubMemory(
            settings: settings, options: values.options, seed: seed, unixTime: { Int(clamping: WallClock.unixTime) })
        return ConnectionDriver(
            transport: transport, jobs: NoJobs(), timers: timers, policy: values.policy(seed: seed), memory: memory, seed: seed,
            observer: ActivityObserver(values.preventsAppNap))
    }
}

extension ConfigurationValues {
    var trustRoots: TrustRoots { certificateAuthorityFile.map { .file($0) } ?? .system }

    /// The pins; nil for none, and for invalid ones, which ``problem`` reports.
    var pins: CertificatePins? { certificatePins.isEmpty ? nil : try? CertificatePins(certificatePins) }

    /// The problem of the configuration: with one, nothing may be sent (rules PK-69 and PK-71).
    var problem: ConnectionFailure? {
        let most = PubNubCipher.maximumReaders
        if readingCipherKeys.count > most {
            return ConnectionFailure(
                .badRequest, "There are \(readingCipherKeys.count) reading cipher keys; at most \(most) can be used.")
        }
        guard !certificatePins.isEmpty else { return nil }
        do throws(CertificatePins.Malformed) {
            _ = try CertificatePins(certificatePins)
            return nil
        } catch {
            return ConnectionFailure(.badRequest, error.description)
        }
    }

    /// The profile, with the chosen liveness.
    var timingPolicy: ConnectionPolicy {
        var policy: ConnectionPolicy =
            switch timing {
            case .standard: .standard
            case .fast: .fast
            }
        policy.timing = policy.timing.watching(liveness)
        return policy
    }

    /// How the subscription connects, and how much of an answer it takes (rule PK-65).
    var transport: LongPollTransportConfiguration {
        var configuration = LongPollTransportConfiguration(
            trustRoots: trustRoots, pins: pins, certificate: clientCertificate, proxy: proxy.map { HTTPProxy($0) },
            liveness: SocketLiveness(timingPolicy.timing), paths: networkPaths)
        configuration.bodyLimit = timingPolicy.messageBytes(chosen: chosenAnswerSize, service: configuration.bodyLimit)
        configuration.answerTimeout = timingPolicy.messageTime(chosen: messageTimeout.map { .positive(seconds: $0) })
        return configuration
    }

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

    /// When to try again (rules PK-14 and PX-5).
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
        // A problem of the configuration does not end by itself.
        if problem != nil { base.overrides[.badRequest] = .never }
        return PubNubSession.policy(base, options: options, seed: seed)
    }
}

extension HTTPProxy {
    init(_ proxy: PNProxy) {
        self.init(
            host: proxy.host, port: proxy.port,
            credentials: proxy.user.map { Credentials(user: $0, password: proxy.password ?? "") })
    }
}
