import WireCoding

/// The message that signals typing where the service has none of its own (rule LL-123): the payload of a PubNub signal, and the data of
/// Pusher's client event ``event``.
///
/// `{"lifeline":"typing","typing":true}`, and with `"user":"ann"` where the service does not name the sender. At most 64 bytes without
/// a user, the limit of a signal.
package struct TypingSignal: Hashable, Sendable {
    /// The name of Pusher's client event, without `client-`.
    package static let event = "lifeline-typing"

    var isTyping: Bool
    /// The user who is typing; nil where the service names the sender.
    var user: String?

    package init(isTyping: Bool, user: String? = nil) {
        self.isTyping = isTyping
        self.user = user
    }

    /// Nil for a payload that is not a typing signal.
    package init?(_ text: String) {
        // The limit is the length of this client's own signal with the longest accepted user id, escaped. A text that is not JSON is
        // another payload.
        guard text.utf8.count <= 6 * TypingRoster.longestUser, let json = try? JSONText(text), json.kind == .object,
            json["lifeline"]?.string == "typing", let isTyping = json["typing"]?.bool
        else { return nil }
        self.init(isTyping: isTyping, user: json["user"]?.string)
    }

    package var json: String {
        let name = user.map { #","user":\#(JSONWriter.string($0))"# } ?? ""
        return #"{"lifeline":"typing","typing":\#(isTyping)\#(name)}"#
    }
}
