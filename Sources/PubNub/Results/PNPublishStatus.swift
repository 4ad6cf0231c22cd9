import Foundation
import PubNubProtocol

/// What the service said to a published message.
///
/// `@unchecked Sendable` by the constants and locks that ``PNServiceData`` names.
public final class PNPublishData: PNServiceData, @unchecked Sendable {
    /// When the message was published: its place in the channel. 0 when it was not.
    public let timetoken: NSNumber
    /// The service's words: `Sent`, or why not.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// How publishing ended.
///
/// `@unchecked Sendable` by the constants and locks that ``PNAcknowledgmentStatus`` names.
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

/// What the service said to a signal.
///
/// `@unchecked Sendable` by the constants and locks that ``PNServiceData`` names.
public final class PNSignalStatusData: PNServiceData, @unchecked Sendable {
    /// When the signal was sent. 0 when it was not.
    public let timetoken: NSNumber
    /// The service's words: `Sent`, or why not.
    public let information: String

    init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken.number
        self.information = information
    }
}

/// How signalling ended.
///
/// `@unchecked Sendable` by the constants and locks that ``PNAcknowledgmentStatus`` names.
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
