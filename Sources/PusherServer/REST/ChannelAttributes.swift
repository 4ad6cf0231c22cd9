import Identifiers
import ServerRuntime

/// The channel attributes that a request asks for with `info`.
struct ChannelAttributes: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let userCount = ChannelAttributes(rawValue: 1)
    static let subscriptionCount = ChannelAttributes(rawValue: 2)
    static let cache = ChannelAttributes(rawValue: 4)

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Parses a comma-separated list of attribute names; nil and an empty text select none.
    init(parsing text: String?) throws(HTTPProblem) {
        self = []
        for part in (text ?? "").split(atByte: UInt8(ascii: ",")) {
            switch part {
            case "user_count": insert(.userCount)
            case "subscription_count": insert(.subscriptionCount)
            case "cache": insert(.cache)
            default: throw .badRequest("info knows user_count, subscription_count and cache.")
            }
        }
    }
}
