import Identifiers
import WireCoding

/// Parses the bodies of App Context requests (rules PO-2 to PO-5). Pure functions.
enum ObjectInput {
    /// A membership that a request sets or removes.
    struct Membership: Hashable, Sendable {
        /// The channel's id in a list of a user's memberships; the user's id in a list of a channel's members.
        var id: Identifier
        /// The fields to set; nil to remove the membership.
        var patch: ObjectPatch?
    }

    /// Parses a body that sets a user or a channel.
    static func patch(_ body: [UInt8], _ kind: KeysetObjects.Kind, limits: ObjectLimits) throws(ObjectProblem) -> ObjectPatch {
        guard let json = try? JSONText(bytes: body), json.kind == .object else { throw .notJSON }
        return try patch(json, kind.fields + ObjectField.optional, limits: limits)
    }

    /// Parses a body that changes memberships: `{"set":[{"channel":{"id":"c"},"custom":{…}}],"delete":[{"channel":{"id":"c"}}]}`.
    ///
    /// - Parameter side: the key with the id of each entry, `channel` or `uuid`.
    static func memberships(_ body: [UInt8], _ side: String, limits: ObjectLimits) throws(ObjectProblem) -> [Membership] {
        guard let json = try? JSONText(bytes: body), json.kind == .object else { throw .notJSON }
        var found: [Membership] = []
        for key in ["set", "delete"] {
            guard let list = json[key], !list.isNull else { continue }
            guard let elements = list.elements else {
                throw .invalid("The field \(key) has to be a list.", location: key, in: "body")
            }
            for (index, element) in elements.enumerated() {
                let location = "\(key)[\(index)]"
                guard found.count < limits.perCall else {
                    throw .invalid(
                        "One request can change at most \(limits.perCall) memberships.", location: key, in: "body")
                }
                guard let id = element[side]?["id"]?.string else {
                    throw .invalid("Missing field", location: "\(location).\(side).id", in: "body")
                }
                guard isValid(id, side == "uuid" ? .user : .channel) else {
                    throw .invalid("Invalid id", location: "\(location).\(side).id", in: "body")
                }
                let patch = key == "set" ? try patch(element, ObjectField.optional, limits: limits, in: location + ".") : nil
                found.append(Membership(id: Identifier(id), patch: patch))
            }
        }
        guard !found.isEmpty else { throw .invalid("Missing field", location: "set", in: "body") }
        return found
    }

    static func isValid(_ id: String, _ kind: KeysetObjects.Kind) -> Bool {
        kind == .channel ? PubNubDraft.isValid(channel: id) : PubNubDraft.isValid(user: id)
    }

    /// - Parameter place: the text before a field's name in error messages, for example the path of a list element.
    private static func patch(
        _ json: JSONText, _ fields: [ObjectField], limits: ObjectLimits, in place: String = ""
    ) throws(ObjectProblem) -> ObjectPatch {
        var patch = ObjectPatch()
        for field in fields {
            guard let value = json[field.rawValue] else { continue }
            if value.isNull {
                patch.texts[field] = .some(nil)
                continue
            }
            let location = place + field.rawValue
            guard let text = value.string else {
                throw .invalid("The field \(location) has to be a string.", location: location, in: "body")
            }
            guard text.utf8.count <= limits.text else {
                throw .invalid("The field \(location) has more than \(limits.text) bytes.", location: location, in: "body")
            }
            patch.texts[field] = .some(text)
        }
        if let custom = json["custom"] { patch.custom = try self.custom(custom, limits, at: place + "custom") }
        return patch
    }

    private static func custom(
        _ json: JSONText, _ limits: ObjectLimits, at location: String
    ) throws(ObjectProblem) -> ObjectPatch.Custom {
        if json.isNull { return .clear }
        guard json.kind == .object else {
            throw .invalid("The field \(location) has to be an object.", location: location, in: "body")
        }
        guard json.text.utf8.count <= limits.record else {
            throw .invalid("The field \(location) has more than \(limits.record) bytes.", location: location, in: "body")
        }
        return .put(json)
    }
}
