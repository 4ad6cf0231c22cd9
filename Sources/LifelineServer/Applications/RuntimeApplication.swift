import ServerStorage
import WireCoding

/// An application that was made at run time, as it is stored (rules AR-4 and AR-10).
package struct RuntimeApplication: Hashable, Sendable {
    /// The application with both secrets, whether or not the earlier one has expired.
    package private(set) var stored: ServedApplication
    /// The settings as a configuration file has them, without secrets and without `enabled`.
    package private(set) var settings: JSONValue
    /// When the earlier secret ends to be valid, in seconds since 1970; nil while a rotation has no deadline.
    package private(set) var previousEnds: Int?
    /// When it was made, in seconds since 1970.
    package let created: Int
    /// When it was changed for the last time, in seconds since 1970.
    package private(set) var changed: Int

    package init(
        _ stored: ServedApplication, settings: JSONValue, previousEnds: Int? = nil, created: Int, changed: Int? = nil
    ) {
        self.stored = stored
        self.settings = settings
        self.previousEnds = previousEnds
        self.created = created
        self.changed = changed ?? created
    }

    package var id: ApplicationID { stored.id }

    /// Whether two secrets are valid at a time.
    package func isRotating(at now: Int) -> Bool {
        stored.previousSecret != nil && previousEnds.map { now < $0 } ?? true
    }

    /// The application as it is served at a time: without an earlier secret that has expired.
    package func served(at now: Int) -> ServedApplication {
        isRotating(at: now) ? stored : stored.with(secret: stored.secret, previous: nil)
    }

    /// Makes another secret the current one. The former one stays valid until `end`, or until the rotation is finished.
    mutating func rotate(to secret: Secret, until end: Int?, at now: Int) {
        stored = stored.with(secret: secret, previous: stored.secret)
        (previousEnds, changed) = (end, now)
    }

    /// Ends the validity of the earlier secret.
    mutating func finishRotation(at now: Int) {
        stored = stored.with(secret: stored.secret, previous: nil)
        (previousEnds, changed) = (nil, now)
    }

    /// Takes other settings, with the application that they make.
    mutating func set(_ stored: ServedApplication, settings: JSONValue, at now: Int) {
        (self.stored, self.settings, changed) = (stored, settings, now)
    }

    mutating func enable(_ isEnabled: Bool, at now: Int) {
        stored = stored.with(isEnabled: isEnabled)
        changed = now
    }
}
