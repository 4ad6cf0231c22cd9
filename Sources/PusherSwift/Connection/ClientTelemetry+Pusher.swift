import EngineRuntime
import PusherProtocol

// Logs and counts the events of a connection (rule PA-85).
extension ClientTelemetry {
    func note(_ notices: [Notice<PusherSession>]) {
        var received = 0
        for notice in notices {
            switch notice {
            case .change(let change): changed(change)
            case .event(.message): received += 1
            case .event(.subscribed(let confirmation)):
                noted(.subscribed(channel: confirmation.channel, isRenewal: confirmation.isRenewal))
            case .event(.subscriptionFailed(let name, let failure, _, let willRetry)):
                noted(
                    .subscriptionFailed(
                        channel: name, category: failure.category, code: failure.code, willRetry: willRetry))
            case .event(.gap(let name, _)): noted(.gap(channel: name))
            case .event: continue
            case .dropped: noted(.gap(channel: nil))
            }
        }
        if received > 0 { noted(.received(received)) }
    }
}
