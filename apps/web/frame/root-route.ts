import { createRootRoute } from "@tanstack/react-router";
import { Frame } from "./frame.tsx";
import { NotFound } from "./not-found.tsx";

/** Every page stands in the frame. */
export const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });
