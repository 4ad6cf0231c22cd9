import PubNubProtocol
import RealtimeHub

/// A subscriber's filter, compiled once for all polls that bring the same text (wire sheet 9).
final class PollFilter {
    private let filter: PubNubFilter

    init(_ filter: PubNubFilter) {
        self.filter = filter
    }

    func matches(_ message: StoredMessage) -> Bool {
        var subject = PubNubFilterSubject(
            metadata: message.metadata, data: message.payload, customType: message.customType)
        return filter.matches(&subject)
    }
}
