import ConnectionEngine
import Foundation
import Lifeline
import NIOCore
import TransportCommon

/// Examines a connection step by step and reports the result of each.
struct Doctor: Sendable {
    let target: DoctorTarget
    /// The time limit of each wait in a step.
    let limits: @Sendable (DoctorStep) -> Duration
    let roots: TrustRoots
    /// The file with the certificates of `roots`, for clients that read the file themselves; nil for the system's certificates.
    let authorityFile: String?
    /// Called with each step as it ends.
    let report: @Sendable (StepReport) async -> Void
    /// Returns the time of this machine in seconds since 1970.
    let unixTime: @Sendable () -> Int64
    let lookUp: SystemResolver.LookUp

    /// The time limit of each wait in the present step.
    var limit = Duration.zero

    // The addresses of the host, found by the step `resolution`.
    var addresses: [SocketAddress] = []
    var address: SocketAddress?
    var link: ProbeLink?
    var socket: ProbeSocket?
    var socketID = ""
    /// The time in the server's header `Date`, in seconds since 1970; nil before an answer with this header.
    var serverTime: Int64?
    /// The subscribed channel.
    var subscribed: String?
    var client: LifelineClient?
    var room: Room?

    init(
        target: DoctorTarget, limits: @escaping @Sendable (DoctorStep) -> Duration, authorityFile: String? = nil,
        unixTime: @escaping @Sendable () -> Int64 = { WallClock.unixTime },
        lookUp: @escaping SystemResolver.LookUp = SystemResolver.lookUp,
        report: @escaping @Sendable (StepReport) async -> Void
    ) {
        self.target = target
        self.limits = limits
        self.authorityFile = authorityFile
        roots = authorityFile.map { .file($0) } ?? .system
        self.unixTime = unixTime
        self.lookUp = lookUp
        self.report = report
    }

    /// Runs all steps. Steps that depend on a failed one are reported as skipped.
    ///
    /// - Returns: how many steps failed.
    mutating func run() async -> Int {
        var failures = 0
        var obstacle: DoctorStep?
        for step in DoctorStep.plan(for: target.service) {
            if let obstacle {
                await report(StepReport(step: step, verdict: .unreached(obstacle)))
                continue
            }
            limit = limits(step)
            let start = ContinuousClock.now
            let verdict = await examine(step)
            let wasTried = if case .skipped = verdict { false } else { true }
            let outcome = StepReport(step: step, verdict: verdict, duration: wasTried ? ContinuousClock.now - start : nil)
            await report(outcome)
            if outcome.isFailure {
                failures += 1
                if step.isFundamental { obstacle = step }
            }
        }
        await socket?.close()
        return failures
    }

    private mutating func examine(_ step: DoctorStep) async -> StepVerdict {
        do {
            return switch step {
            case .configuration: target.verdict
            case .resolution: try await resolve()
            case .connection: try await connect()
            case .proxy: try await tunnel()
            case .tls: try await secure()
            case .http: try await askHTTP()
            case .clock: compareClocks()
            case .upgrade: try await upgrade()
            case .handshake: try await greet()
            case .ping: try await ping()
            case .subscription: try await subscribe()
            case .privateSubscription: try await subscribePrivately()
            case .session: try await openSession()
            case .roundTrip: target.service == .pusher ? try await publish() : try await exchange()
            }
        } catch {
            return .failed(Self.finding(error))
        }
    }

    /// The finding for an error that a step did not explain itself.
    static func finding(_ error: any Error) -> Finding {
        switch error {
        case let finding as Finding: finding
        case is ProbeTimeout: .noAnswer
        case is ProbeNotHTTP: .notHTTP
        default: .cut
        }
    }

    var amount: TimeAmount { TimeAmount(limit) }
    var deadline: ContinuousClock.Instant { ContinuousClock.now + limit }
}
