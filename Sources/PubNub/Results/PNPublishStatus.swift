import Foundation
import PubNubProtocol

/// The service's answer to a published message.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNPublishData: PNServiceData, @unchecked Sendable {
    /// The message's timetoken: when it was published, and its position in the channel. 0 when it was not published.
    public let timetoken: NSNumber
    /// The service's own text: `Sent`, or the reason of a refusal.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// The outcome of publishing.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPublishStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
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
    /// The signal's timetoken. 0 when it was not sent.
    public let timetoken: NSNumber
    /// The service's own text: `Sent`, or the reason of a refusal.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// The outcome of a signal.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSignalStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNSignalStatusData

    init(_ outcome: CallOutcome<PubNubPublished>) {
        let status = outcome.statusFacts
        data = PNSignalStatusData(
            timetoken: outcome.answer?.timetoken ?? .zero,
            information: outcome.answer?.information ?? status.errorData.information)
        super.init(status: status)
    }
}
