/// The elements that an observer has not received yet. When the backlog is full, droppable elements are dropped, and a marker is inserted
/// in their place, so that the observer can detect the loss.
struct BoundedBacklog<Element: Sendable>: CoalescingBuffer, Sendable {
    private(set) var elements: [Element] = []
    /// How many elements were dropped since the backlog was created.
    private(set) var droppedInTotal = 0
    private var droppedSinceMarker = 0
    private let limit: Int
    private let isDroppable: @Sendable (Element) -> Bool
    private let marker: @Sendable (Int) -> Element

    init(
        limit: Int, isDroppable: @escaping @Sendable (Element) -> Bool, marker: @escaping @Sendable (Int) -> Element
    ) {
        self.limit = max(limit, 1)
        self.isDroppable = isDroppable
        self.marker = marker
    }

    var isEmpty: Bool { elements.isEmpty && droppedSinceMarker == 0 }

    mutating func append(contentsOf new: [Element]) {
        if elements.isEmpty && droppedSinceMarker == 0 && new.count <= limit {
            elements = new
            return
        }
        for element in new {
            if elements.count >= limit && isDroppable(element) {
                droppedSinceMarker += 1
                droppedInTotal += 1
            } else {
                mark()
                elements.append(element)
            }
        }
    }

    /// Removes and returns all elements.
    mutating func takeAll() -> [Element] {
        mark()
        var taken: [Element] = []
        swap(&taken, &elements)
        return taken
    }

    /// Puts elements that the observer took but did not process back at the beginning. No element is dropped to make room for them, because
    /// they were within the limit when the observer took them.
    mutating func giveBack(_ taken: ArraySlice<Element>) {
        elements.insert(contentsOf: taken, at: 0)
    }

    private mutating func mark() {
        guard droppedSinceMarker > 0 else { return }
        elements.append(marker(droppedSinceMarker))
        droppedSinceMarker = 0
    }
}
