import PubNubProtocol
import ServerRuntime
import ServerValues

// HTTP answers in the formats of PubNub's services.
extension HTTPAnswer {
    init(_ error: PubNubErrorBody) {
        self.init(status: error.status, ContentType(rawValue: error.contentType), error.body)
        hasRecordedFields = true
        // The status 503 means a temporary failure, for example of the store. So the answer asks the client to repeat the request after one
        // second (rule PG-16).
        if error.status == 503 { fields = [("retry-after", "1")] }
    }

    /// The error answer to a request for a keyset. The log line contains the subscribe key (rule SO-150).
    init(_ error: PubNubErrorBody, of application: PubNubApplication) {
        self.init(error)
        details = ["service": ServiceName.pubnub.rawValue, "app": logText(application.subscribeKey.utf8)]
    }

    /// An answer with the content type of PubNub's services.
    static func pubnub(status: Int = 200, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .javascript, body)
        answer.hasRecordedFields = true
        return answer
    }
}

extension HTTPAnswer.ContentType {
    /// The content type of PubNub's answers: JSON that is labelled as JavaScript.
    static let javascript = HTTPAnswer.ContentType(rawValue: PubNubErrorBody.contentType)
}
