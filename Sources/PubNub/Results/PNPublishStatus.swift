import Foundation
import PubNubProtocol

/// The service's answer to a request that publishes a message.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNPublishData: PNServiceData, @unchecked Sendable {
    /// The message's timetoken, in units of 100 ns since 1970: the time of publication and the position in the channel. 0 when the message
    /// was not published.
    public let timetoken: NSNumber
    /// The text of the service's answer: `Sent`, or the reason why the service refused the message.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// The outcome of a request that publishes a message.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPublishStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The message's timetoken and the text of the service's answer.
    public let data: PNPublishData

    init(_ outcome: CallOutcome<PubNubPublished>) {
        let status = outcome.statusFacts
        data = PNPublishData(
            timetoken: outcome.answer?.timetoken ?? .zero,
            information: outcome.answer?.information ?? status.errorData.information)
        super.init(status: status)
    }
}

/// The service's answer to a signal.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNSignalStatusData: PNServiceData, @unchecked Sendable {
    /// The signal's timetoken, in units of 100 ns since 1970; 0 when the signal was not sent.
    public let timetoken: NSNumber
    /// The text of the service's answer: `Sent`, or the reason why the service refused the message.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// The outcome of a request that sends a signal.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSignalStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The signal's timetoken and the text of the service's answer.
    public let data: PNSignalStatusData

    init(_ outcome: CallOutcome<PubNubPublished>) {
        let status = outcome.statusFacts
        data = PNSignalStatusData(
            timetoken: outcome.answer?.timetoken ?? .zero,
            information: outcome.answer?.information ?? status.errorData.information)
        super.init(status: status)
    }
}
