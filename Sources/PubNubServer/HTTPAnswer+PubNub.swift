import PubNubProtocol
import ServerRuntime
import ServerValues

// HTTP answers in the formats of PubNub's services.
extension HTTPAnswer {
    init(_ error: PubNubErrorBody) {
        self.init(status: error.status, ContentType(rawValue: error.contentType), error.body)
        hasRecordedFields = true
        // Something that the service needs is away, and comes back by itself (rule PG-16).
        if error.status == 503 { fields = [("retry-after", "1")] }
    }

    /// The same for a keyset, which the log names (rule SO-150).
    init(_ error: PubNubErrorBody, of application: PubNubApplication) {
        self.init(error)
        details = ["service": ServiceName.pubnub.rawValue, "app": logText(application.subscribeKey.utf8)]
    }

    /// An answer in the format of PubNub's services.
    static func pubnub(status: Int = 200, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .javascript, body)
        answer.hasRecordedFields = true
        return answer
    }
}

extension HTTPAnswer.ContentType {
    /// The content type of PubNub's answers.
    static let javascript = HTTPAnswer.ContentType(rawValue: PubNubErrorBody.contentType)
}
