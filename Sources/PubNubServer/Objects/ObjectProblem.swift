import PubNubProtocol
import ServerRuntime

/// Why an App Context request is refused. The answers have the format of PubNub's services.
enum ObjectProblem: Error, Hashable, Sendable {
    case notFound
    /// `If-Match` names another version than the current one of the user or channel (rule PO-6).
    case changed(KeysetObjects.Kind)
    /// A part of the request is invalid. `location` names the field; `in` is `body`, `query` or `path`.
    case invalid(String, location: String, in: String)
    case notJSON
    /// The change would exceed a limit of the keyset. The text names this limit.
    case full(String)
    /// The owner would exceed its share of the keyset's limits (rule PV-180).
    case shareUsed
    /// Too many requests of the keyset or of the owner wait: changes, or requests for long lists.
    case busy
    /// The store could not save the change.
    case unavailable

    var status: Int {
        switch self {
        case .notFound: 404
        case .changed: 412
        case .invalid, .full: 400
        case .notJSON: 415
        case .busy, .shareUsed: 429
        case .unavailable: 503
        }
    }

    private var message: String {
        switch self {
        case .notFound: "Requested object was not found."
        case .changed(.user): "User to update has been modified after it was read."
        case .changed: "Channel to update has been modified after it was read."
        case .invalid: "Request payload contained invalid input."
        case .notJSON: "Request payload must be in JSON format."
        case .full(let message): message
        case .shareUsed: ShareUsed.message
        case .busy: "You have exceeded the maximum number of requests per second allowed for your subscriber key."
        case .unavailable: "Service Unavailable"
        }
    }

    var answer: HTTPAnswer {
        .objects(
            status: status,
            JSONBody.object { body in
                body.member("status", status)
                body.key("error")
                body.object { body in
                    body.member("message", message)
                    body.member("source", "objects")
                    guard case .invalid(let detail, let location, let place) = self else { return }
                    body.key("details")
                    body.array { body in
                        body.object { body in
                            body.member("message", detail)
                            body.member("location", location)
                            body.member("locationType", place)
                        }
                    }
                }
            })
    }
}

extension HTTPAnswer {
    /// An answer in the format of App Context, with the content type JSON.
    static func objects(status: Int = 200, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .json, body)
        answer.hasRecordedFields = true
        return answer
    }
}
