import Foundation
import PubNubProtocol
import WireCoding

/// The page of an App Context list that a request asks for.
struct ObjectPageDraft {
    var sort: [String] = []
    var filter: String?
    var start: String?
    var end: String?
    var limit: UInt = 100
    var includesCount = false

    /// The Cocoa SDK requests the total count unless it is set otherwise.
    static let counted = ObjectPageDraft(includesCount: true)

    var page: PubNubObjectPage {
        PubNubObjectPage(
            sort: sort, filter: filter, start: start, end: end, limit: limit > 0 ? Int(clamping: limit) : nil,
            includesCount: includesCount)
    }
}

/// Data about a user or a channel to set, or a request for it.
struct ObjectDraft {
    /// The id; nil for the client's user.
    var id: String?
    var fields: [String: String] = [:]
    var custom: [AnyHashable: Any]?
    var include: [String] = []
    var page = ObjectPageDraft()

    /// The values to set.
    func content() throws(PubNubProblem) -> JSONText {
        var content: [AnyHashable: Any] = fields
        if let custom { content["custom"] = try Self.checked(custom) }
        return try JSONArguments.object(content, "metadata")
    }

    /// The custom fields by name: strings, numbers, booleans or null.
    static func checked(_ custom: [AnyHashable: Any]) throws(PubNubProblem) -> [String: Any] {
        var fields: [String: Any] = [:]
        for (key, value) in custom {
            guard let name = key.base as? String, value is String || value is NSNumber || value is Bool || value is NSNull else {
                throw .badArguments(
                    "A custom field has a name that is not a string, or a value that is not a string, number, boolean or null.")
            }
            fields[name] = value
        }
        return fields
    }
}

/// A change of memberships, or a request for them.
struct RelationDraft {
    var operation: PNOperationType
    /// The user id; nil for the client's user.
    var id: String?
    var set: [[AnyHashable: Any]] = []
    var remove: [String] = []
    var include: [String] = []
    var page = ObjectPageDraft()

    /// `{"set":[{"channel":{"id":"c"},"custom":{…}}],"delete":[{"channel":{"id":"c"}}]}`
    ///
    /// - Parameter key: `channel` or `uuid`: the object that identifies a membership.
    func content(_ key: String) throws(PubNubProblem) -> JSONText {
        guard !set.isEmpty || !remove.isEmpty else {
            throw .badArguments("There is nothing to set or to remove. Pass at least one \(key).")
        }
        var added: [[String: Any]] = []
        for entry in set {
            guard let id = entry[key] as? String, !id.isEmpty else {
                throw .badArguments("An entry has no \(key). Pass dictionaries with it and, if wanted, custom.")
            }
            var member: [String: Any] = [key: ["id": id]]
            if let custom = entry["custom"] as? [AnyHashable: Any] { member["custom"] = try ObjectDraft.checked(custom) }
            added.append(member)
        }
        var content: [AnyHashable: Any] = [:]
        if !added.isEmpty { content["set"] = added }
        if !remove.isEmpty { content["delete"] = remove.map { [key: ["id": $0]] } }
        return try JSONArguments.object(content, "list of memberships")
    }
}
