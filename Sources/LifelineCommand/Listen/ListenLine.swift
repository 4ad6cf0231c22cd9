import ConnectionEngine
import Lifeline

/// One output line of `lifeline listen`.
struct ListenLine: Hashable, Sendable {
    struct Status: Hashable, Sendable {
        var word: StatusWord
        var category: String
        var attempt: Int
        var retryIn: Duration?
        var willRetry: Bool
        var isError: Bool
        var code: Int?
        var reason: String
        /// The service's own name of the status, if it has one.
        var vendor: String?
    }

    enum Content: Hashable, Sendable {
        case status(Status)
        case subscribed(channel: String)
        /// `data` is JSON text.
        case message(channel: String, event: String, data: String, id: String?, user: String?)
        case gap(channel: String, since: Moment)
        case presence(channel: String, action: String, user: String, count: Int)
        case error(channel: String?, category: String, code: Int?, reason: String)
        case published(channel: String, outcome: String, id: String?)
        case unsubscribed(channel: String)
        case notice(ServiceNotice)
    }

    var at: Moment
    /// The name of the subscriber, `--name`.
    var subscriber: String
    var content: Content

    /// The line as a JSON object. All lines of one kind have the same keys in this order (rule CL-1).
    ///
    /// - Parameter time: converts the moment of the line to text.
    func json(time: (Moment) -> String) -> String {
        var object = JSONObject()
        object.put("t", at)
        object.put("time", time(at))
        object.put("sub", subscriber)
        switch content {
        case .status(let status):
            object.put("ev", "status")
            object.put("status", status.word.rawValue)
            object.put("category", status.category)
            object.put("attempt", status.attempt)
            object.put("retry_in", status.retryIn)
            object.put("will_retry", status.willRetry)
            object.put("error", status.isError)
            object.put("code", status.code)
            object.put("reason", status.reason)
            object.put("vendor", status.vendor)
        case .subscribed(let channel):
            object.put("ev", "subscribed")
            object.put("ch", channel)
        case .message(let channel, let event, let data, let id, let user):
            object.put("ev", "msg")
            object.put("ch", channel)
            object.put("event", event)
            object.put("data", json: data)
            object.put("id", id)
            object.put("user", user)
        case .gap(let channel, let since):
            object.put("ev", "gap")
            object.put("ch", channel)
            object.put("since", since)
        case .presence(let channel, let action, let user, let count):
            object.put("ev", "presence")
            object.put("ch", channel)
            object.put("action", action)
            object.put("user", user)
            object.put("count", count)
        case .error(let channel, let category, let code, let reason):
            object.put("ev", "error")
            object.put("ch", channel)
            object.put("category", category)
            object.put("code", code)
            object.put("reason", reason)
        case .published(let channel, let outcome, let id):
            object.put("ev", "published")
            object.put("ch", channel)
            object.put("outcome", outcome)
            object.put("id", id)
        case .unsubscribed(let channel):
            object.put("ev", "unsubscribed")
            object.put("ch", channel)
        case .notice(let notice):
            object.put("ev", "notice")
            object.put("name", notice.name.rawValue)
            object.put("ch", notice.channel)
            object.put("data", json: notice.data ?? "null")
        }
        return object.text
    }
}
