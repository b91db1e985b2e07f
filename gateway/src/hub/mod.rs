//! One feed's objects in memory, ordered by last change, and its subscribers. Pure: never an await, a clock or a socket.
