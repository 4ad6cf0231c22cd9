import ConnectionEngine
import EngineRuntime

// Writing log entries and metrics for the events of a client (rule LL-52).
extension ClientTelemetry {
    func note(_ events: [ServiceEvent]) {
        var received = 0
        for event in events {
            switch event {
            case .message:
                received += 1
            case .change(let change):
                changed(change)
            case .subscribed(let channel, _, let isRenewal):
                noted(.subscribed(channel: channel, isRenewal: isRenewal))
            case .subscriptionFailed(let channel, let error, let willRetry):
                noted(
                    .subscriptionFailed(
                        channel: channel, category: StatusCategory(rawValue: error.code.rawValue), code: error.number,
                        willRetry: willRetry))
            case .gap(let channel, _, _):
                noted(.gap(channel: channel))
            case .unsubscribed, .present, .joined, .left, .typing, .reaction, .problem, .notice:
                continue
            }
        }
        if received > 0 { noted(.received(received)) }
    }

    func note(_ outcome: PublishOutcome, after roundTrip: Duration) {
        let (result, error): (ClientReport.PublishResult, LifelineError?) =
            switch outcome {
            case .accepted: (.accepted, nil)
            case .refused(let error): (.refused, error)
            case .unknown(let error): (.unknown, error)
            }
        noted(
            .published(
                result, category: error.map { StatusCategory(rawValue: $0.code.rawValue) }, code: error?.number,
                roundTrip: roundTrip))
    }
}
