import ChatProtocol
import EngineRuntime

// Logs and counts the events of a chat session (rule NC-56).
extension ClientTelemetry {
    func note(_ notices: [Notice<ChatSession>]) {
        var received = 0
        for notice in notices {
            switch notice {
            case .change(let change): changed(change)
            case .event(.received(let items, _, _)): received += items.count
            case .event(.gap): noted(.gap(channel: nil))
            case .event(.openGap(let channel, _)): noted(.gap(channel: channel))
            case .event(.reentered(let entrance)): noted(.subscribed(channel: entrance.channel, isRenewal: true))
            case .event(.entryFailed(let channel, let refusal)):
                noted(
                    .subscriptionFailed(channel: channel, category: .accessDenied, code: refusal.code.rawValue, willRetry: false))
            case .event: continue
            case .dropped: noted(.gap(channel: nil))
            }
        }
        if received > 0 { noted(.received(received)) }
    }
}
