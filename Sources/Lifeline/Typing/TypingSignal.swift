import WireCoding

/// The message that signals typing for services without a typing message (rule LL-123): the payload of a PubNub signal, and the data of
/// Pusher's client event ``event``.
///
/// The JSON is `{"lifeline":"typing","typing":true}`, and has `"user":"ann"` too if the service does not name the sender. Without a user it
/// has at most 64 bytes, the limit of a signal.
package struct TypingSignal: Hashable, Sendable {
    /// The name of Pusher's client event, without the prefix `client-`.
    package static let event = "lifeline-typing"

    var isTyping: Bool
    /// The id of the user who is typing; nil if the service names the sender.
    var user: String?

    package init(isTyping: Bool, user: String? = nil) {
        self.isTyping = isTyping
        self.user = user
    }

    /// Reads a typing signal; nil for a payload that is not a typing signal.
    package init?(_ text: String) {
        // The length limit is that of this client's own signal with the longest accepted user id, escaped. A text that is longer or not
        // JSON is not a typing signal.
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
