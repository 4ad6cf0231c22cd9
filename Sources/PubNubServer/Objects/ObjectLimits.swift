/// The limits of a keyset's App Context (rule PO-10). A change that exceeds one is refused and has no effect.
struct ObjectLimits: Hashable, Sendable {
    /// The number of users with metadata, and the number of channels with metadata.
    var entities = 100_000
    /// The number of memberships of all users.
    var memberships = 200_000
    var perUser = 1000
    var perChannel = 100_000
    /// The bytes of all ids, texts and custom fields.
    var bytes = 128 << 20
    /// The number of memberships that one call changes.
    var perCall = 200
    /// The bytes of one text.
    var text = 2048
    /// The bytes of the texts and custom fields of one user, channel or membership.
    var record = 32_768
    /// The bytes of the events of one change, which limit on how many of the user's channels a change of a user is published.
    var eventBytes = 4 << 20
    /// The elements of a page, and its bytes: a page has at least one element.
    var page = 100
    var pageBytes = 1 << 20
    /// The largest cost of evaluating a filter on all elements, as counted by ``PubNubFilterSubject/work``.
    var filterWork = 256 << 20
    /// The number of elements up to which a list is filtered and sorted at once; longer lists are made one after the other.
    var shortList = 1000
    /// The number of waiting lists, and of changes that wait for the store.
    var waiting = 1000
    var waitingLists = 64
}
