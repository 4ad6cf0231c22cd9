import NIOConcurrencyHelpers
import NIOCore
import TransportCommon

@testable import LifelineCommand

/// What an examination told.
struct Examination: Sendable {
    var reports: [StepReport]
    var failures: Int

    /// Examines an address as `lifeline doctor` does; names lead to this machine.
    static func of(
        _ url: String, service: ServiceKind = .pusher, key: String? = nil, secret: String? = nil, appID: String = "1001",
        channel: String? = nil, proxy: String? = nil, ca: String? = nil, limits: [DoctorStep: Duration] = [:],
        unixTime: @escaping @Sendable () -> Int64 = { WallClock.unixTime },
        lookUp: @escaping SystemResolver.LookUp = { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
    ) async throws -> Examination {
        let target = try DoctorTarget(
            service: service, url: url, key: key, secret: secret, appID: appID, channel: channel, proxy: proxy)
        let reports = NIOLockedValueBox<[StepReport]>([])
        var doctor = Doctor(
            target: target, limits: { limits[$0] ?? .seconds(30) }, authorityFile: ca, unixTime: unixTime, lookUp: lookUp
        ) { report in
            reports.withLockedValue { $0.append(report) }
        }
        let failures = await doctor.run()
        return Examination(reports: reports.withLockedValue { $0 }, failures: failures)
    }

    subscript(step: DoctorStep) -> StepVerdict? { reports.first { $0.step == step }?.verdict }

    /// The step that failed first, and the code of what was found.
    var firstFailure: String {
        for report in reports {
            if case .failed(let finding) = report.verdict { return "\(report.step.rawValue): \(finding.code)" }
        }
        return "none"
    }

    /// The code of what was noted about a step that works.
    func note(_ step: DoctorStep) -> String? {
        if case .noted(_, let finding) = self[step] { finding.code } else { nil }
    }

    /// All that users see of it.
    var text: String { reports.map { $0.text(.off) + "\n" + $0.json }.joined(separator: "\n") }

    var passed: Set<DoctorStep> {
        Set(reports.filter { if case .passed = $0.verdict { true } else { false } }.map(\.step))
    }
}
